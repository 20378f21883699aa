package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.SharedPart;
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

/** The state of a service at one moment: all of its instances, disabled ones included. Immutable and thread-safe. */
public final class ServiceSnapshot {

    private static final RegisteredInstance[] NOBODY = {};
    /** Maximum selections whose views are kept; clients use one or two. */
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
    /** Null for a small service. */
    private final @Nullable ListParts parts;
    /** Null where deltas are of no use: for a small service, and where consumers do not simply get what is registered. */
    private final @Nullable RecentChanges changes;

    /** A selection of instances; see {@link #view}. */
    record Selection(String clusters, boolean healthyOnly, long cacheMillis) {}

    /** A snapshot with none before it. */
    ServiceSnapshot(
            ServiceKey service,
            long version,
            long refMillis,
            ServiceSettings settings,
            boolean hasSettings,
            AddressLabels labels,
            RegisteredInstance[] hosted) {
        this(service, version, refMillis, settings, hasSettings, labels, hosted, null);
    }

    ServiceSnapshot(
            ServiceKey service,
            long version,
            long refMillis,
            ServiceSettings settings,
            boolean hasSettings,
            AddressLabels labels,
            RegisteredInstance[] hosted,
            @Nullable ServiceSnapshot before) {
        this.service = service;
        this.groupedName = NamingWire.groupedName(service);
        this.version = version;
        this.refMillis = refMillis;
        this.settings = settings;
        this.hasSettings = hasSettings;
        this.rule = LabelRule.of(settings.selector(), labels);
        this.hosted = hosted;
        this.parts = hosted.length < PartBoundary.SMALLEST_LIST ? null : partsAfter(before);
        this.changes = hosted.length < RecentChanges.SMALLEST_LIST || rule != null || mayBeProtected()
                ? null
                : changesAfter(before);
    }

    /** Protection shows other states than the registered ones; with a threshold of 0 it begins when no instance is healthy. */
    private boolean mayBeProtected() {
        if (!hasSettings || settings.protectThreshold() > 0) {
            return hasSettings;
        }
        for (RegisteredInstance one : hosted) {
            if (one.shown().enabled() && one.shown().healthy()) {
                return false;
            }
        }
        return true;
    }

    private RecentChanges changesAfter(@Nullable ServiceSnapshot before) {
        return before == null || before.changes == null || before.hasSettings != hasSettings
                ? RecentChanges.from(version)
                : before.changes.then(version, before.hosted, hosted);
    }

    private static ListParts partsAfter(@Nullable ServiceSnapshot before) {
        return before == null || before.parts == null ? ListParts.first() : before.parts.next();
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
        this.parts = same.parts;
        this.changes = same.changes;
    }

    /**
     * A snapshot without instances. Its time is one millisecond earlier: some clients drop a list that is not later
     * than theirs, and the first list with instances may follow in the same millisecond.
     */
    static ServiceSnapshot absent(ServiceKey service, long nowMillis) {
        return new ServiceSnapshot(
                service, 0, nowMillis - 1, ServiceSettings.ofKind(true), false, AddressLabels.NONE, NOBODY);
    }

    /** The same state with another time. */
    ServiceSnapshot at(long nowMillis) {
        return new ServiceSnapshot(this, nowMillis);
    }

    public ServiceKey service() {
        return service;
    }

    /** Increases with every change of the service. */
    public long version() {
        return version;
    }

    /** The time of the snapshot, in epoch milliseconds; a later version has a later time. */
    public long refMillis() {
        return refMillis;
    }

    /** The stored settings, or the defaults. */
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

    /** All instances with the time and cause of their current health. */
    Map<InstanceKey, RegisteredInstance> byKey() {
        Map<InstanceKey, RegisteredInstance> all = new HashMap<>(hosted.length * 4 / 3 + 1);
        for (RegisteredInstance one : hosted) {
            all.put(one.published().key(), one);
        }
        return all;
    }

    /** All instances as their publishers describe them, without overrides. */
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

    /** The changes of its last versions; null when they are not known. */
    @Nullable
    RecentChanges changes() {
        return changes;
    }

    /** The parts of a list that lists before it may have as well. */
    List<SharedPart> partsOf(RegisteredInstance[] hosts) {
        return parts == null ? List.of() : parts.of(hosts);
    }

    /** The rule by which consumers get different instances; null if all get the same. */
    @Nullable
    LabelRule rule() {
        return rule;
    }

    /**
     * The instances for consumers, before their labels are applied; see {@link ServiceView#seenFrom}.
     *
     * @param clusters names separated by commas; empty for all
     * @param healthyOnly removes unhealthy instances before the protection threshold is applied, as Nacos does: a
     *     consumer that requests healthy instances never gets an unhealthy one
     * @param cacheMillis how long clients may cache the list
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

    /** The instances for consumers with these values of the rule's labels. */
    ServiceView narrowed(ServiceView all, List<String> values) {
        ServiceView narrowed = select(all.selection(), values);
        // If no instance matches, the consumer gets all of them, as in Nacos.
        return narrowed.hosts().isEmpty() ? all : narrowed;
    }

    /** The values of the rule's labels for each instance; null if the instance lacks one of them. */
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
        // A service without stored settings has no protection threshold.
        boolean isProtected = hasSettings && settings.isProtected(count, healthy);
        for (int i = 0; isProtected && i < count; i++) {
            Instance instance = chosen[i].shown();
            if (!instance.healthy()) {
                chosen[i] = new RegisteredInstance(instance.withHealthy(true), null, 0);
            }
        }
        return new ServiceView(this, groupedName, selection, Arrays.copyOf(chosen, count), isProtected);
    }

    /** Whether every consumer gets the same from the other snapshot, for any selection and labels. */
    boolean tellsTheSameAs(ServiceSnapshot other) {
        return hasSettings == other.hasSettings
                && settings.protectThreshold() == other.settings.protectThreshold()
                && Objects.equals(rule, other.rule)
                && same(hosted, other.hosted);
    }

    /** Whether this snapshot shows the same as an older one. */
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
