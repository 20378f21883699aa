package io.cairn.server.storage.config;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.changeset.ConfigEdit;
import io.cairn.server.storage.row.ConfigRow;
import io.cairn.server.storage.row.GrayRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes several changes in one transaction, all or those with met conditions. */
final class ChangeSetCommand implements StoreCommand<ChangeSetResult> {

    private final ChangeSet changes;
    private final List<Step> steps;

    ChangeSetCommand(ChangeSet changes, CapacityCheck capacity, ConfigStore.CommitObserver observer) {
        this.changes = changes;
        this.steps = changes.edits().stream()
                .map(edit -> edit instanceof ConfigEdit.Put put
                        ? new PutStep(new PublishConfigCommand(put.command(), capacity, observer))
                        : new RemoveStep(removal(((ConfigEdit.Remove) edit).command(), observer)))
                .map(Step.class::cast)
                .toList();
    }

    private static StoreCommand<Optional<ConfigChanged>> removal(
            RemoveConfig command, ConfigStore.CommitObserver observer) {
        String grayName = command.grayName();
        return grayName == null
                ? new RemoveConfigCommand(command, observer)
                : new RemoveGrayCommand(command, grayName, observer);
    }

    private interface Step {
        Optional<ConfigChanged> execute(WriteTransaction transaction) throws SQLException;

        void committed(Optional<ConfigChanged> change);

        void announce(Optional<ConfigChanged> change);
    }

    private record PutStep(PublishConfigCommand command) implements Step {
        @Override
        public Optional<ConfigChanged> execute(WriteTransaction transaction) throws SQLException {
            return Optional.of(command.execute(transaction).fold(PublishResult.Published::change, conflict -> {
                throw new IllegalStateException("a publish without an expectation conflicts: " + conflict);
            }));
        }

        @Override
        public void committed(Optional<ConfigChanged> change) {
            change.ifPresent(made -> command.committed(new PublishResult.Published(made)));
        }

        @Override
        public void announce(Optional<ConfigChanged> change) {
            change.ifPresent(made -> command.announce(new PublishResult.Published(made)));
        }
    }

    private record RemoveStep(StoreCommand<Optional<ConfigChanged>> command) implements Step {
        @Override
        public Optional<ConfigChanged> execute(WriteTransaction transaction) throws SQLException {
            return command.execute(transaction);
        }

        @Override
        public void committed(Optional<ConfigChanged> change) {
            command.committed(change);
        }

        @Override
        public void announce(Optional<ConfigChanged> change) {
            command.announce(change);
        }
    }

    @Override
    public ChangeSetResult execute(WriteTransaction transaction) throws SQLException {
        // All conditions first: only this transaction writes meanwhile.
        List<Optional<ChangeSetResult.Outcome>> unmade = new ArrayList<>();
        boolean anyConflict = false;
        for (ConfigEdit edit : changes.edits()) {
            Optional<ChangeSetResult.Outcome> outcome = unmade(transaction, edit);
            unmade.add(outcome);
            anyConflict |= outcome.isPresent() && outcome.get() instanceof ChangeSetResult.Conflicting;
        }
        boolean stopped = anyConflict && changes.mode() == ChangeSet.Mode.ALL_OR_NOTHING;
        List<ChangeSetResult.Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            ConfigEdit edit = changes.edits().get(i);
            ChangeSetResult.@Nullable Outcome known = unmade.get(i).orElse(null);
            if (known != null && (!stopped || changes.mode() == ChangeSet.Mode.ALL_OR_NOTHING)) {
                outcomes.add(known);
                stopped |=
                        known instanceof ChangeSetResult.Conflicting && changes.mode() == ChangeSet.Mode.UNTIL_CONFLICT;
            } else if (stopped) {
                outcomes.add(new ChangeSetResult.NotReached(edit.key()));
            } else {
                outcomes.add(
                        new ChangeSetResult.Applied(edit.key(), steps.get(i).execute(transaction)));
            }
        }
        return new ChangeSetResult(outcomes);
    }

    /** The outcome of an edit that the stored row prevents, if so. */
    private static Optional<ChangeSetResult.Outcome> unmade(WriteTransaction transaction, ConfigEdit edit)
            throws SQLException {
        Optional<ContentDigest> stored = stored(transaction, edit);
        if (edit.isDone(stored)) {
            return Optional.of(new ChangeSetResult.Unchanged(edit.key()));
        }
        return edit.condition().isMet(stored)
                ? Optional.empty()
                : Optional.of(new ChangeSetResult.Conflicting(edit.key(), stored));
    }

    private static Optional<ContentDigest> stored(WriteTransaction transaction, ConfigEdit edit) throws SQLException {
        String grayName =
                edit instanceof ConfigEdit.Remove remove ? remove.command().grayName() : null;
        return grayName == null
                ? ConfigRow.find(transaction, edit.key()).map(ConfigRow::digest)
                : GrayRow.find(transaction, edit.key(), grayName).map(GrayRow::digest);
    }

    @Override
    public void committed(ChangeSetResult result) {
        for (int i = 0; i < steps.size(); i++) {
            if (result.outcomes().get(i) instanceof ChangeSetResult.Applied applied) {
                steps.get(i).committed(applied.change());
            }
        }
    }

    @Override
    public void announce(ChangeSetResult result) {
        for (int i = 0; i < steps.size(); i++) {
            if (result.outcomes().get(i) instanceof ChangeSetResult.Applied applied) {
                steps.get(i).announce(applied.change());
            }
        }
    }

    @Override
    public int weightBytes() {
        return changes.edits().stream().mapToInt(ConfigEdit::weightBytes).sum();
    }
}
