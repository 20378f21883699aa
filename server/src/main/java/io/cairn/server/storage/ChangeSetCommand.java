package io.cairn.server.storage;

import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.changeset.ConfigEdit;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes several changes in one transaction, all of them or those that their conditions allow. */
final class ChangeSetCommand implements StoreCommand<ChangeSetResult> {

    private final ChangeSet changes;
    private final List<Step> steps;

    ChangeSetCommand(ChangeSet changes, CapacityCheck capacity, ConfigStore.CommitObserver observer) {
        this.changes = changes;
        this.steps = changes.edits().stream()
                .map(edit -> edit instanceof ConfigEdit.Put put
                        ? new PutStep(new PublishConfigCommand(put.command(), capacity, observer))
                        : new RemoveStep(new RemoveConfigCommand(((ConfigEdit.Remove) edit).command(), observer)))
                .map(Step.class::cast)
                .toList();
    }

    /** The command that makes one edit. */
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

    private record RemoveStep(RemoveConfigCommand command) implements Step {
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
        // All conditions first: nobody but this transaction writes meanwhile.
        List<Optional<ChangeSetResult.Conflicting>> conflicts = new ArrayList<>();
        boolean anyConflict = false;
        for (ConfigEdit edit : changes.edits()) {
            Optional<ChangeSetResult.Conflicting> conflict = conflict(transaction, edit);
            conflicts.add(conflict);
            anyConflict |= conflict.isPresent();
        }
        boolean stopped = anyConflict && changes.mode() == ChangeSet.Mode.ALL_OR_NOTHING;
        List<ChangeSetResult.Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            ConfigEdit edit = changes.edits().get(i);
            boolean isConflict = conflicts.get(i).isPresent();
            if (isConflict && (!stopped || changes.mode() == ChangeSet.Mode.ALL_OR_NOTHING)) {
                outcomes.add(conflicts.get(i).get());
                stopped |= changes.mode() == ChangeSet.Mode.UNTIL_CONFLICT;
            } else if (stopped) {
                outcomes.add(new ChangeSetResult.NotReached(edit.key()));
            } else {
                outcomes.add(
                        new ChangeSetResult.Applied(edit.key(), steps.get(i).execute(transaction)));
            }
        }
        return new ChangeSetResult(outcomes);
    }

    private static Optional<ChangeSetResult.Conflicting> conflict(WriteTransaction transaction, ConfigEdit edit)
            throws SQLException {
        var stored = ConfigRow.find(transaction, edit.key()).map(ConfigRow::digest);
        return edit.condition().isMet(stored)
                ? Optional.empty()
                : Optional.of(new ChangeSetResult.Conflicting(edit.key(), stored));
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
