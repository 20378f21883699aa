package io.cairn.server.storage.cluster;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.storage.cluster.RecheckCommand.Suspicion;
import io.cairn.server.storage.row.ChangeRow;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Unshown changes of other nodes and programs. Its table names what to read again for each kind. For the thread of
 * {@link ExternalChangePoller}.
 */
final class DueChanges {

    /** For more services, everything is read again. */
    private static final int MOST_SERVICES = 256;

    /** A part of this node that is read again as a whole. */
    enum Part {
        REGISTRY,
        ACCOUNTS,
        NAMESPACES,
        SECRETS
    }

    private interface Rule {
        void apply(DueChanges due, ChangeRow row);
    }

    private static final Map<String, Rule> RULES = Map.ofEntries(
            Map.entry(ChangeRow.CONFIG, (due, row) -> due.suspect(config(row), new Suspicion(false, false))),
            Map.entry(ChangeRow.GRAY, (due, row) -> due.suspect(config(row), new Suspicion(true, false))),
            Map.entry(ChangeRow.SERVICE, DueChanges::service),
            Map.entry(ChangeRow.INSTANCE, DueChanges::service),
            Map.entry(ChangeRow.OVERRIDE, DueChanges::service),
            Map.entry(ChangeRow.SWITCH, (due, row) -> due.switches.add(row.name())),
            Map.entry(ChangeRow.NAMESPACE, (due, row) -> due.parts.add(Part.NAMESPACES)),
            Map.entry(ChangeRow.ACCOUNT, (due, row) -> due.parts.add(Part.ACCOUNTS)),
            Map.entry(ChangeRow.SECRET, (due, row) -> due.parts.add(Part.SECRETS)),
            Map.entry(ChangeRow.CAPACITY, (due, row) -> {
                // Capacities are read from the database on demand.
            }),
            Map.entry(ChangeRow.RESTORED, (due, row) -> due.everything()));

    /** Kept until a successful recheck. */
    final Map<ConfigKey, Suspicion> configs = new HashMap<>();

    final Set<ServiceKey> services = new HashSet<>();
    final Set<String> switches = new HashSet<>();
    final Set<Part> parts = EnumSet.noneOf(Part.class);
    /** Whether to compare each configuration's row with the shown one. */
    boolean compare;

    static Set<String> kinds() {
        return RULES.keySet();
    }

    /**
     * Notes a row of the change log; false for an unknown kind.
     *
     * @throws IllegalArgumentException for an impossible name
     */
    boolean add(ChangeRow row) {
        Rule rule = RULES.get(row.kind());
        if (rule == null) {
            return false;
        }
        rule.apply(this, row);
        return true;
    }

    void suspect(ConfigKey key, Suspicion suspicion) {
        configs.merge(key, suspicion, Suspicion::and);
    }

    private void service(ChangeRow row) {
        if (parts.contains(Part.REGISTRY)) {
            return;
        }
        services.add(new ServiceKey(Namespace.ofNullable(row.tenant()), row.group(), row.name()));
        if (services.size() > MOST_SERVICES) {
            registry();
        }
    }

    private void registry() {
        parts.add(Part.REGISTRY);
        services.clear();
        switches.clear();
    }

    void everything() {
        compare = true;
        parts.addAll(EnumSet.allOf(Part.class));
        registry();
    }

    boolean isEmpty() {
        return configs.isEmpty() && services.isEmpty() && switches.isEmpty() && parts.isEmpty() && !compare;
    }

    void unreadable(ChangeRow row) {
        if (row.kind().equals(ChangeRow.CONFIG) || row.kind().equals(ChangeRow.GRAY)) {
            compare = true;
        } else {
            registry();
        }
    }

    private static ConfigKey config(ChangeRow row) {
        return new ConfigKey(Namespace.ofNullable(row.tenant()), row.group(), row.name());
    }
}
