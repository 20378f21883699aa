package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.storage.RecheckCommand.Suspicion;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Changes of other nodes and programs that this node does not show yet. Its table names for each kind of change what is to be
 * read again. Used by the thread of {@link ExternalChangePoller} alone.
 */
final class DueChanges {

    /** With more services than that, everything is read again. */
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
                // Capacities are read from the database whenever one is needed.
            }),
            Map.entry(ChangeRow.RESTORED, (due, row) -> due.everything()));

    /** Kept until a recheck has succeeded. */
    final Map<ConfigKey, Suspicion> configs = new HashMap<>();

    final Set<ServiceKey> services = new HashSet<>();
    final Set<String> switches = new HashSet<>();
    final Set<Part> parts = EnumSet.noneOf(Part.class);
    /** Whether each row of the configurations is to be compared with what is shown. */
    boolean compare;

    /** The kinds of changes that are followed. */
    static Set<String> kinds() {
        return RULES.keySet();
    }

    /**
     * Notes what a row of the change log asks for; false when its kind is not known.
     *
     * @throws IllegalArgumentException when the row names nothing that can exist
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

    /** Nothing that is shown is certain any more. */
    void everything() {
        compare = true;
        parts.addAll(EnumSet.allOf(Part.class));
        registry();
    }

    boolean isEmpty() {
        return configs.isEmpty() && services.isEmpty() && switches.isEmpty() && parts.isEmpty() && !compare;
    }

    /** Notes a row from which its thing cannot be read. */
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
