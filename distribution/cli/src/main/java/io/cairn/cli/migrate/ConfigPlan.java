package io.cairn.cli.migrate;

import io.cairn.cli.migrate.ConfigPlan.Action.Kind;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides about one configuration by its states and by the journal. Pure. */
public record ConfigPlan(boolean bothWays, ConflictRule conflicts) {

    public record Action(Kind kind, @Nullable Side at, String reason) {

        public enum Kind {
            SAME,
            FORGET,
            WRITE,
            DELETE,
            KEEP,
            CONFLICT
        }
    }

    public Action decide(@Nullable Carried base, Optional<ConfigState> atSource, Optional<ConfigState> atTarget) {
        ConfigState source = atSource.orElse(null);
        ConfigState target = atTarget.orElse(null);
        if (source == null && target == null) {
            return new Action(Kind.FORGET, null, "deleted at both sides");
        }
        boolean same = source != null && target != null && source.isSameAs(target);
        if (base == null) {
            return same ? new Action(Kind.SAME, null, "same digest") : first(source, target);
        }
        boolean sourceChanged = source != null && !source.version().equals(base.source());
        boolean targetChanged = target != null && !target.version().equals(base.target());
        if (source == null) {
            return deleted(Side.SOURCE, targetChanged, base);
        }
        if (target == null) {
            return deleted(Side.TARGET, sourceChanged, base);
        }
        if (sourceChanged && targetChanged) {
            return same
                    ? new Action(Kind.SAME, null, "same digest")
                    : conflict(source, target, "changed at both sides");
        }
        if (sourceChanged) {
            return new Action(Kind.WRITE, Side.TARGET, "changed at the source");
        }
        if (targetChanged) {
            return bothWays
                    ? new Action(Kind.WRITE, Side.SOURCE, "changed at the target")
                    : new Action(Kind.KEEP, null, "changed at the target, which does not lead without --both-ways");
        }
        // The servers store it in different forms.
        return new Action(Kind.SAME, null, "unchanged");
    }

    private Action first(@Nullable ConfigState source, @Nullable ConfigState target) {
        if (target == null) {
            return new Action(Kind.WRITE, Side.TARGET, "new at the source");
        }
        if (source == null) {
            return bothWays
                    ? new Action(Kind.WRITE, Side.SOURCE, "new at the target")
                    : new Action(Kind.KEEP, null, "only at the target");
        }
        return conflict(source, target, "differs, and no earlier state of both is known");
    }

    private Action deleted(Side side, boolean otherChanged, Carried base) {
        Side other = side.other();
        if (!base.byBridge()) {
            return new Action(Kind.KEEP, null, "deleted at the " + side + ", but this bridge has not carried it over");
        }
        boolean leads = bothWays || side == Side.SOURCE;
        if (!otherChanged) {
            return leads
                    ? new Action(Kind.DELETE, other, "deleted at the " + side)
                    : new Action(Kind.KEEP, null, "deleted at the target, and unchanged at the source since");
        }
        boolean otherLeads = bothWays || other == Side.SOURCE;
        String what = "deleted at the " + side + " and changed at the " + other;
        return switch (conflicts) {
            case ASK -> new Action(Kind.CONFLICT, null, what);
            case NEWEST ->
                otherLeads
                        ? new Action(Kind.WRITE, side, what + "; a change wins over a deletion")
                        : new Action(Kind.KEEP, null, what + "; a change wins over a deletion");
            case SOURCE, TARGET -> {
                Side winner = conflicts == ConflictRule.SOURCE ? Side.SOURCE : Side.TARGET;
                if (winner == Side.TARGET && !bothWays) {
                    yield new Action(Kind.KEEP, null, what + "; the target wins by --conflicts");
                }
                yield winner == side
                        ? new Action(Kind.DELETE, other, what + "; the " + winner + " wins by --conflicts")
                        : new Action(Kind.WRITE, side, what + "; the " + winner + " wins by --conflicts");
            }
        };
    }

    private Action conflict(ConfigState source, ConfigState target, String what) {
        Side winner =
                switch (conflicts) {
                    case ASK -> null;
                    case SOURCE -> Side.SOURCE;
                    case TARGET -> Side.TARGET;
                    case NEWEST -> target.modifiedMillis() > source.modifiedMillis() ? Side.TARGET : Side.SOURCE;
                };
        if (winner == null) {
            return new Action(Kind.CONFLICT, null, what);
        }
        String reason =
                what + "; the " + winner + (conflicts == ConflictRule.NEWEST ? " is newer" : " wins by --conflicts");
        return winner == Side.TARGET && !bothWays
                ? new Action(Kind.KEEP, null, reason)
                : new Action(Kind.WRITE, winner.other(), reason);
    }
}
