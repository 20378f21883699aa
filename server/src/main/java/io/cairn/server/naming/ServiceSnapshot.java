package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A service as it was at one moment: all of its instances, disabled ones included. Immutable and thread-safe. */
public final class ServiceSnapshot {

    private static final Hosted[] NOBODY = {};
    /** Different selections whose encoded form is kept; clients use one or two. */
    private static final int MAX_VIEWS = 64;

    private final ServiceKey service;
    private final String groupedName;
    private final long version;
    private final long refMillis;
    private final ServiceSettings settings;
    private final boolean hasSettings;
    private final Hosted[] hosted;
    private final ConcurrentHashMap<Selection, ServiceView> views = new ConcurrentHashMap<>(4);

    private record Selection(String clusters, boolean healthyOnly, long cacheMillis) {}

    ServiceSnapshot(
            ServiceKey service,
            long version,
            long refMillis,
            ServiceSettings settings,
            boolean hasSettings,
            Hosted[] hosted) {
        this.service = service;
        this.groupedName = NamingWire.groupedName(service);
        this.version = version;
        this.refMillis = refMillis;
        this.settings = settings;
        this.hasSettings = hasSettings;
        this.hosted = hosted;
    }

    /** Of the millisecond before: some clients drop a list that is not later than theirs, and the first may follow at once. */
    static ServiceSnapshot absent(ServiceKey service, long nowMillis) {
        return new ServiceSnapshot(service, 0, nowMillis - 1, ServiceSettings.ofKind(true), false, NOBODY);
    }

    public ServiceKey service() {
        return service;
    }

    /** Grows with every change of the service. */
    public long version() {
        return version;
    }

    /** When it was taken, in epoch milliseconds; a later one of the same service has a higher one. */
    public long refMillis() {
        return refMillis;
    }

    /** What operators have set, or what holds where they have set nothing. */
    public ServiceSettings settings() {
        return settings;
    }

    public boolean isEphemeral() {
        return settings.ephemeral();
    }

    /** All instances, disabled and unhealthy ones included. */
    public List<Instance> instances() {
        return new AbstractList<>() {
            @Override
            public Instance get(int index) {
                return hosted[index].shown();
            }

            @Override
            public int size() {
                return hosted.length;
            }
        };
    }

    /** All instances as their publishers describe them, without what operators have set. */
    public List<Instance> published() {
        List<Instance> all = new ArrayList<>(hosted.length);
        for (Hosted one : hosted) {
            all.add(one.published());
        }
        return all;
    }

    public int size() {
        return hosted.length;
    }

    /**
     * What a consumer gets.
     *
     * @param clusters names separated by commas; empty for all
     * @param healthyOnly leaves out the others before it is judged whether too few are healthy, as Nacos does: who asks for
     *     healthy ones never gets another
     * @param cacheMillis how long clients may keep it
     */
    public ServiceView view(String clusters, boolean healthyOnly, long cacheMillis) {
        Selection selection = new Selection(clusters, healthyOnly, cacheMillis);
        ServiceView known = views.get(selection);
        if (known != null) {
            return known;
        }
        ServiceView built = select(clusters, healthyOnly, cacheMillis);
        if (views.size() < MAX_VIEWS) {
            views.put(selection, built);
        }
        return built;
    }

    private ServiceView select(String clusters, boolean healthyOnly, long cacheMillis) {
        @Nullable List<String> wanted = clusters.isBlank() ? null : Arrays.asList(clusters.split(",", -1));
        Hosted[] all = new Hosted[hosted.length];
        int count = 0;
        int healthy = 0;
        for (Hosted one : hosted) {
            Instance instance = one.shown();
            if (instance.enabled()
                    && (wanted == null || wanted.contains(instance.key().cluster()))) {
                all[count++] = one;
                healthy += instance.healthy() ? 1 : 0;
            }
        }
        int asked = healthyOnly ? healthy : count;
        // Where nobody has set anything there is nothing to protect.
        boolean isProtected = hasSettings && settings.isProtected(asked, healthy);
        Hosted[] chosen = new Hosted[asked];
        int at = 0;
        for (int i = 0; i < count; i++) {
            Hosted one = all[i];
            if (one.shown().healthy()) {
                chosen[at++] = one;
            } else if (!healthyOnly) {
                chosen[at++] = isProtected ? new Hosted(one.shown().withHealthy(true), null, 0) : one;
            }
        }
        return new ServiceView(this, groupedName, clusters, cacheMillis, chosen, isProtected);
    }

    /** Whether it shows nothing else than an older one does. */
    boolean showsTheSame(Hosted[] others, ServiceSettings otherSettings, boolean othersHaveSettings) {
        if (others.length != hosted.length || hasSettings != othersHaveSettings || !settings.equals(otherSettings)) {
            return false;
        }
        return same(hosted, others);
    }

    static boolean same(Hosted[] some, Hosted[] others) {
        if (some.length != others.length) {
            return false;
        }
        for (int i = 0; i < some.length; i++) {
            if (some[i] != others[i] && !some[i].shown().equals(others[i].shown())) {
                return false;
            }
        }
        return true;
    }
}
