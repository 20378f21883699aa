package io.cairn.server.naming.view;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.SharedPart;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.naming.ServiceSettings;
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

/** A service's state at one moment, with disabled instances. */
public final class ServiceSnapshot {

    private static final RegisteredInstance[] NOBODY = {};
    /** Cached selections; clients use one or two. */
    private static final int MAX_VIEWS = 64;

    private final ServiceKey service;
    private final String groupedName;
    private final long version;
    private final long refMillis;
    private final ServiceSettings settings;
    private final boolean hasSettings;
    private final @Nullable LabelRule rule;
    private final RegisteredInstance[] registered;
    private final ConcurrentHashMap<Selection, ServiceView> views = new ConcurrentHashMap<>(4);
    private volatile @Nullable List<@Nullable List<String>> labelValues;
    /** Null for a small service. */
    private final @Nullable ListParts parts;
    /** Null without use of deltas: for a small service, or one whose consumers do not simply get the registered instances. */
    private final @Nullable RecentChanges changes;

    /** See {@link #view}. */
    public record Selection(String clusters, boolean healthyOnly, long cacheMillis) {}

    /** Without a predecessor. */
    public ServiceSnapshot(
            ServiceKey service,
            long version,
            long refMillis,
            ServiceSettings settings,
            boolean hasSettings,
            AddressLabels labels,
            RegisteredInstance[] registered) {
        this(service, version, refMillis, settings, hasSettings, labels, registered, null);
    }

    public ServiceSnapshot(
            ServiceKey service,
            long version,
            long refMillis,
            ServiceSettings settings,
            boolean hasSettings,
            AddressLabels labels,
            RegisteredInstance[] registered,
            @Nullable ServiceSnapshot before) {
        this.service = service;
        this.groupedName = NamingWire.groupedName(service);
        this.version = version;
        this.refMillis = refMillis;
        this.settings = settings;
        this.hasSettings = hasSettings;
        this.rule = LabelRule.of(settings.selector(), labels);
        this.registered = registered;
        this.parts = registered.length < PartBoundary.SMALLEST_LIST ? null : partsAfter(before);
        this.changes = registered.length < RecentChanges.SMALLEST_LIST || rule != null || mayBeProtected()
                ? null
                : changesAfter(before);
    }

    /** Protection shows other states; with a threshold of 0 it begins without a healthy instance. */
    private boolean mayBeProtected() {
        if (!hasSettings || settings.protectThreshold() > 0) {
            return hasSettings;
        }
        for (RegisteredInstance one : registered) {
            if (one.shown().enabled() && one.shown().healthy()) {
                return false;
            }
        }
        return true;
    }

    private RecentChanges changesAfter(@Nullable ServiceSnapshot before) {
        return before == null || before.changes == null || before.hasSettings != hasSettings
                ? RecentChanges.from(version)
                : before.changes.then(version, before.registered, registered);
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
        this.registered = same.registered;
        this.parts = same.parts;
        this.changes = same.changes;
    }

    /**
     * Without instances. Its time is a millisecond earlier: some clients drop a list not later than theirs, and the first list with
     * instances may follow in the same millisecond.
     */
    public static ServiceSnapshot absent(ServiceKey service, long nowMillis) {
        return new ServiceSnapshot(
                service, 0, nowMillis - 1, ServiceSettings.ofKind(true), false, AddressLabels.NONE, NOBODY);
    }

    public ServiceSnapshot at(long nowMillis) {
        return new ServiceSnapshot(this, nowMillis);
    }

    public ServiceKey service() {
        return service;
    }

    /** Rises with every change. */
    public long version() {
        return version;
    }

    /** Epoch milliseconds; rises with the version. */
    public long refMillis() {
        return refMillis;
    }

    /** Or the defaults. */
    public ServiceSettings settings() {
        return settings;
    }

    public boolean isEphemeral() {
        return settings.ephemeral();
    }

    /** With disabled and unhealthy ones. */
    public List<Instance> instances() {
        return new AbstractList<>() {
            @Override
            public Instance get(int index) {
                return registered[index].shown();
            }

            @Override
            public int size() {
                return registered.length;
            }
        };
    }

    /** With begin and cause of their health. */
    public Map<InstanceKey, RegisteredInstance> byKey() {
        Map<InstanceKey, RegisteredInstance> all = new HashMap<>(registered.length * 4 / 3 + 1);
        for (RegisteredInstance one : registered) {
            all.put(one.published().key(), one);
        }
        return all;
    }

    /** Without overrides. */
    public List<Instance> published() {
        List<Instance> all = new ArrayList<>(registered.length);
        for (RegisteredInstance one : registered) {
            all.add(one.published());
        }
        return all;
    }

    public int size() {
        return registered.length;
    }

    /** Of the last versions; null if unknown. */
    public @Nullable RecentChanges changes() {
        return changes;
    }

    /** Perhaps shared with former lists. */
    List<SharedPart> partsOf(RegisteredInstance[] hosts) {
        return parts == null ? List.of() : parts.of(hosts);
    }

    /** The rule for different instances by consumer, or null. */
    @Nullable
    LabelRule rule() {
        return rule;
    }

    /**
     * The instances for consumers, before their labels; see {@link ServiceView#seenFrom}.
     *
     * @param clusters comma-separated names; empty for all
     * @param healthyOnly removes unhealthy instances before protection, as in Nacos: such a consumer never gets one
     * @param cacheMillis clients' cache time
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

    /** For consumers with these values of the rule's labels. */
    ServiceView narrowed(ServiceView all, List<String> values) {
        ServiceView narrowed = select(all.selection(), values);
        // Without a match the consumer gets all, as in Nacos.
        return narrowed.hosts().isEmpty() ? all : narrowed;
    }

    /** The rule's label values of each instance; null if a label is absent. */
    private List<@Nullable List<String>> labelValues() {
        List<@Nullable List<String>> known = labelValues;
        if (known == null) {
            known = new ArrayList<>(registered.length);
            for (RegisteredInstance one : registered) {
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
        RegisteredInstance[] chosen = new RegisteredInstance[registered.length];
        List<Instance> drained = new ArrayList<>(0);
        int count = 0;
        int healthy = 0;
        List<@Nullable List<String>> labels = values == null ? List.of() : labelValues();
        for (int i = 0; i < registered.length; i++) {
            RegisteredInstance one = registered[i];
            Instance instance = one.shown();
            if ((wanted == null || wanted.contains(instance.key().cluster()))
                    && (instance.healthy() || !selection.healthyOnly())
                    && (values == null || values.equals(labels.get(i)))) {
                if (instance.enabled()) {
                    chosen[count++] = one;
                    healthy += instance.healthy() ? 1 : 0;
                } else if (one.isHiddenByDrain()) {
                    drained.add(instance);
                }
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
        return new ServiceView(
                this, groupedName, selection, Arrays.copyOf(chosen, count), List.copyOf(drained), isProtected);
    }

    /** Whether every consumer gets the same, for any selection and labels. */
    boolean isEquivalentTo(ServiceSnapshot other) {
        return hasSettings == other.hasSettings
                && settings.protectThreshold() == other.settings.protectThreshold()
                && Objects.equals(rule, other.rule)
                && same(registered, other.registered);
    }

    public boolean showsTheSame(
            RegisteredInstance[] others,
            ServiceSettings otherSettings,
            boolean othersHaveSettings,
            AddressLabels labels) {
        if (others.length != registered.length
                || hasSettings != othersHaveSettings
                || !settings.equals(otherSettings)
                || !Objects.equals(rule, LabelRule.of(otherSettings.selector(), labels))) {
            return false;
        }
        return same(registered, others);
    }

    public static boolean same(RegisteredInstance[] some, RegisteredInstance[] others) {
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
