package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.label.LabelRule;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A service as it was at one moment: all of its instances, disabled ones included. Immutable and thread-safe. */
public final class ServiceSnapshot {

    private static final RegisteredInstance[] NOBODY = {};
    /** Different selections whose encoded form is kept; clients use one or two. */
    private static final int MAX_VIEWS = 64;

    private final ServiceKey service;
    private final String groupedName;
    private final long version;
    private final long refMillis;
    private final ServiceSettings settings;
    private final boolean hasSettings;
    private final @Nullable LabelRule rule;
    private final RegisteredInstance[] hosted;
    private final ConcurrentHashMap<Selection, ServiceView> views = new ConcurrentHashMap<>(4);
    private volatile @Nullable List<@Nullable List<String>> labelValues;

    /** What is asked for; see {@link #view}. */
    record Selection(String clusters, boolean healthyOnly, long cacheMillis) {}

    ServiceSnapshot(
            ServiceKey service,
            long version,
            long refMillis,
            ServiceSettings settings,
            boolean hasSettings,
            AddressLabels labels,
            RegisteredInstance[] hosted) {
        this.service = service;
        this.groupedName = NamingWire.groupedName(service);
        this.version = version;
        this.refMillis = refMillis;
        this.settings = settings;
        this.hasSettings = hasSettings;
        this.rule = LabelRule.of(settings.selector(), labels);
        this.hosted = hosted;
    }

    private ServiceSnapshot(ServiceSnapshot same, long refMillis) {
        this.service = same.service;
        this.groupedName = same.groupedName;
        this.version = same.version;
        this.refMillis = refMillis;
        this.settings = same.settings;
        this.hasSettings = same.hasSettings;
        this.rule = same.rule;
        this.hosted = same.hosted;
    }

    /** Of the millisecond before: some clients drop a list that is not later than theirs, and the first may follow at once. */
    static ServiceSnapshot absent(ServiceKey service, long nowMillis) {
        return new ServiceSnapshot(
                service, 0, nowMillis - 1, ServiceSettings.ofKind(true), false, AddressLabels.NONE, NOBODY);
    }

    /** The same, taken at another time. */
    ServiceSnapshot at(long nowMillis) {
        return new ServiceSnapshot(this, nowMillis);
    }

    public ServiceKey service() {
        return service;
    }

    /** Grows with every change of the service. */
    public long version() {
        return version;
    }

    /** When it was taken, in epoch milliseconds; one of a later version has a higher one. */
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

    /** Since when, and why, each instance has the health that it has. */
    Map<InstanceKey, RegisteredInstance> byKey() {
        Map<InstanceKey, RegisteredInstance> all = new HashMap<>(hosted.length * 4 / 3 + 1);
        for (RegisteredInstance one : hosted) {
            all.put(one.published().key(), one);
        }
        return all;
    }

    /** All instances as their publishers describe them, without what operators have set. */
    public List<Instance> published() {
        List<Instance> all = new ArrayList<>(hosted.length);
        for (RegisteredInstance one : hosted) {
            all.add(one.published());
        }
        return all;
    }

    public int size() {
        return hosted.length;
    }

    /** By which consumers are told different things; null when all are told the same. */
    @Nullable
    LabelRule rule() {
        return rule;
    }

    /**
     * What consumers get, whatever their labels are; see {@link ServiceView#seenFrom}.
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
        ServiceView built = select(selection, null);
        if (views.size() < MAX_VIEWS) {
            views.put(selection, built);
        }
        return built;
    }

    /** What consumers get that have these values of the rule's labels. */
    ServiceView narrowed(ServiceView all, List<String> values) {
        ServiceView narrowed = select(all.selection(), values);
        // Rather those that are elsewhere than none, as in Nacos.
        return narrowed.hosts().isEmpty() ? all : narrowed;
    }

    /** The values of the rule's labels that each instance has; null where it lacks one. */
    private List<@Nullable List<String>> labelValues() {
        List<@Nullable List<String>> known = labelValues;
        if (known == null) {
            known = new ArrayList<>(hosted.length);
            for (RegisteredInstance one : hosted) {
                known.add(rule == null ? null : rule.values(one.shown().key().ip()));
            }
            labelValues = known;
        }
        return known;
    }

    private ServiceView select(Selection selection, @Nullable List<String> values) {
        @Nullable
        List<String> wanted = selection.clusters().isBlank()
                ? null
                : Arrays.asList(selection.clusters().split(",", -1));
        RegisteredInstance[] chosen = new RegisteredInstance[hosted.length];
        int count = 0;
        int healthy = 0;
        List<@Nullable List<String>> labels = values == null ? List.of() : labelValues();
        for (int i = 0; i < hosted.length; i++) {
            RegisteredInstance one = hosted[i];
            Instance instance = one.shown();
            if (instance.enabled()
                    && (wanted == null || wanted.contains(instance.key().cluster()))
                    && (instance.healthy() || !selection.healthyOnly())
                    && (values == null || values.equals(labels.get(i)))) {
                chosen[count++] = one;
                healthy += instance.healthy() ? 1 : 0;
            }
        }
        // Where nobody has set anything there is nothing to protect.
        boolean isProtected = hasSettings && settings.isProtected(count, healthy);
        for (int i = 0; isProtected && i < count; i++) {
            Instance instance = chosen[i].shown();
            if (!instance.healthy()) {
                chosen[i] = new RegisteredInstance(instance.withHealthy(true), null, 0);
            }
        }
        return new ServiceView(this, groupedName, selection, Arrays.copyOf(chosen, count), isProtected);
    }

    /** Whether consumers are told the same by another one, whatever they ask for and wherever they are. */
    boolean tellsTheSameAs(ServiceSnapshot other) {
        return hasSettings == other.hasSettings
                && settings.protectThreshold() == other.settings.protectThreshold()
                && Objects.equals(rule, other.rule)
                && same(hosted, other.hosted);
    }

    /** Whether it shows nothing else than an older one does. */
    boolean showsTheSame(
            RegisteredInstance[] others,
            ServiceSettings otherSettings,
            boolean othersHaveSettings,
            AddressLabels labels) {
        if (others.length != hosted.length
                || hasSettings != othersHaveSettings
                || !settings.equals(otherSettings)
                || !Objects.equals(rule, LabelRule.of(otherSettings.selector(), labels))) {
            return false;
        }
        return same(hosted, others);
    }

    static boolean same(RegisteredInstance[] some, RegisteredInstance[] others) {
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
