package io.cairn.cli.migrate;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.cli.migrate.ConfigPlan.Action;
import io.cairn.cli.migrate.Decision.Outcome;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Compares the configurations of both sides, and makes them agree. For one thread. */
public final class ConfigPass {

    private static final int FEW_DELETIONS = 10;

    private final Map<Side, ConfigStore> stores = new EnumMap<>(Side.class);
    private final Map<Side, Map<ConfigKey, String>> seen = new EnumMap<>(Side.class);
    /** Open ones, which both sides may delete later. */
    private final Set<ConfigKey> undecided = new LinkedHashSet<>();

    private final ConfigPlan plan;
    private final Journal journal;
    private final Report report;
    private final boolean dryRun;

    public ConfigPass(
            ConfigStore source, ConfigStore target, ConfigPlan plan, Journal journal, Report report, boolean dryRun) {
        stores.put(Side.SOURCE, source);
        stores.put(Side.TARGET, target);
        seen.put(Side.SOURCE, new ConcurrentHashMap<>());
        seen.put(Side.TARGET, new ConcurrentHashMap<>());
        this.plan = plan;
        this.journal = journal;
        this.report = report;
        this.dryRun = dryRun;
    }

    public Map<ConfigKey, String> seen(Side side) {
        return Objects.requireNonNull(seen.get(side));
    }

    Set<Side> leading() {
        return plan.bothWays() ? Set.of(Side.SOURCE, Side.TARGET) : Set.of(Side.SOURCE);
    }

    ConfigStore store(Side side) {
        return Objects.requireNonNull(stores.get(side));
    }

    public void all(Namespace namespace, boolean deep) {
        Map<ConfigKey, String> source = list(Side.SOURCE, namespace);
        Map<ConfigKey, String> target = list(Side.TARGET, namespace);
        Set<ConfigKey> keys = new LinkedHashSet<>(source.keySet());
        keys.addAll(target.keySet());
        Set<ConfigKey> carried = journal.keys(namespace);
        keys.addAll(carried);
        undecided.stream().filter(key -> key.namespace().equals(namespace)).forEach(keys::add);
        boolean holdSource = losesMost(Side.SOURCE, namespace, carried, source);
        boolean holdTarget = plan.bothWays() && losesMost(Side.TARGET, namespace, carried, target);
        for (ConfigKey key : keys) {
            Carried base = journal.find(key);
            if (!deep
                    && base != null
                    && base.source().md5().equals(source.get(key))
                    && base.target().md5().equals(target.get(key))) {
                report.same(key.toString());
            } else if (holdSource && !source.containsKey(key) || holdTarget && !target.containsKey(key)) {
                report.add(new Decision(
                        Outcome.HELD, key.toString(), "not deleted while most of the namespace is missing"));
            } else {
                one(key, source.containsKey(key), target.containsKey(key));
            }
        }
        journal.force();
    }

    private Map<ConfigKey, String> list(Side side, Namespace namespace) {
        Map<ConfigKey, String> found = new HashMap<>();
        store(side).list(namespace, found::put);
        Map<ConfigKey, String> known = seen(side);
        known.keySet().removeIf(key -> key.namespace().equals(namespace) && !found.containsKey(key));
        known.putAll(found);
        return found;
    }

    private boolean losesMost(Side side, Namespace namespace, Set<ConfigKey> carried, Map<ConfigKey, String> present) {
        long gone = carried.stream()
                .filter(key -> !present.containsKey(key) && seen(side.other()).containsKey(key))
                .count();
        boolean most = gone > FEW_DELETIONS && gone * 2 > carried.size();
        String subject = "namespace " + namespace;
        if (most) {
            report.add(new Decision(
                    Outcome.HELD,
                    subject,
                    "the " + side + " lists only " + present.size() + " of " + carried.size()
                            + " configurations carried over; nothing is deleted until it lists most of them"
                            + " (a start with another journal forgets them)"));
        } else {
            report.settled(subject);
        }
        return most;
    }

    public void some(Collection<ConfigKey> keys) {
        for (ConfigKey key : keys) {
            one(key, true, true);
        }
        journal.force();
    }

    private void one(ConfigKey key, boolean mayBeAtSource, boolean mayBeAtTarget) {
        try {
            compare(key, mayBeAtSource, mayBeAtTarget);
        } catch (SideException e) {
            if (e.isTemporary() || Thread.currentThread().isInterrupted()) {
                throw e;
            }
            undecided.add(key);
            report.add(new Decision(Outcome.FAILED, key.toString(), String.valueOf(e.getMessage())));
        }
    }

    private void compare(ConfigKey key, boolean mayBeAtSource, boolean mayBeAtTarget) {
        Carried base = journal.find(key);
        // A list may be older than a deletion's base, so a deletion is confirmed by a read.
        Optional<ConfigState> source = mayBeAtSource || base != null ? read(Side.SOURCE, key) : Optional.empty();
        Optional<ConfigState> target = mayBeAtTarget || base != null ? read(Side.TARGET, key) : Optional.empty();
        Action action = plan.decide(base, source, target);
        switch (action.kind()) {
            case SAME -> agree(key, base, source.orElse(null), target.orElse(null));
            case FORGET -> {
                if (!dryRun) {
                    journal.remove(key);
                }
                undecided.remove(key);
                report.settled(key.toString());
            }
            case WRITE -> write(key, action, source, target);
            case DELETE -> delete(key, action);
            case KEEP -> {
                undecided.add(key);
                report.add(new Decision(Outcome.KEPT, key.toString(), action.reason()));
            }
            case CONFLICT -> {
                undecided.add(key);
                report.add(new Decision(
                        Outcome.CONFLICT,
                        key.toString(),
                        action.reason() + "; both sides are left as they are (make them equal, or use --conflicts)"));
            }
        }
    }

    private Optional<ConfigState> read(Side side, ConfigKey key) {
        Optional<ConfigState> state = store(side).read(key);
        state.ifPresentOrElse(
                found -> seen(side).put(key, found.md5()), () -> seen(side).remove(key));
        return state;
    }

    private void agree(
            ConfigKey key, @Nullable Carried base, @Nullable ConfigState source, @Nullable ConfigState target) {
        if (source != null && target != null && !dryRun) {
            journal.put(
                    key,
                    new Carried(
                            source.version(),
                            target.version(),
                            base == null ? journal.isIntended(key) : base.byBridge()));
        }
        report.same(key.toString());
    }

    private void write(ConfigKey key, Action action, Optional<ConfigState> source, Optional<ConfigState> target) {
        Side at = Objects.requireNonNull(action.at());
        ConfigState state = (at == Side.TARGET ? source : target).orElseThrow();
        Optional<ConfigState> present = at == Side.TARGET ? target : source;
        Outcome outcome = present.isEmpty() ? Outcome.CREATED : Outcome.UPDATED;
        String reason = "at the " + at + ", " + action.reason() + notCarried(at, state);
        if (!dryRun) {
            if (present.isEmpty()) {
                journal.intend(key);
            }
            if (!store(at).write(state, present)) {
                report.add(new Decision(
                        Outcome.HELD,
                        key.toString(),
                        "changed at the " + at + " while it was carried over; compared again soon"));
                return;
            }
            Optional<ConfigState> stored = read(at, key);
            // A later change must count, so the MD5 is that of the written content.
            ConfigVersion written = new ConfigVersion(
                    state.md5(), stored.orElse(state).version().attributes());
            Carried carried = at == Side.TARGET
                    ? new Carried(state.version(), written, true)
                    : new Carried(written, state.version(), true);
            journal.put(key, carried);
        } else {
            report.behind(state.modifiedMillis());
        }
        report.add(new Decision(outcome, key.toString(), reason));
    }

    private String notCarried(Side at, ConfigState state) {
        long ofCairn = state.releasesOfCairn();
        return ofCairn == 0 || store(at).hasReleasesOfCairn()
                ? ""
                : "; " + ofCairn + " gray releases by rules of Cairn are not carried";
    }

    private void delete(ConfigKey key, Action action) {
        Side at = Objects.requireNonNull(action.at());
        if (!dryRun) {
            store(at).delete(key);
            seen(at).remove(key);
            journal.remove(key);
        }
        report.add(new Decision(Outcome.DELETED, key.toString(), "at the " + at + ", " + action.reason()));
    }
}
