package io.cairn.server.storage.config;

import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.GrayRow;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.Optional;

/** Deletes a gray release; its clients get the content for all. */
final class RemoveGrayCommand implements StoreCommand<Optional<ConfigChanged>> {

    private final RemoveConfig command;
    private final String name;
    private final ConfigStore.CommitObserver observer;

    RemoveGrayCommand(RemoveConfig command, String name, ConfigStore.CommitObserver observer) {
        this.command = command;
        this.name = name;
        this.observer = observer;
    }

    @Override
    public Optional<ConfigChanged> execute(WriteTransaction transaction) throws SQLException {
        Optional<GrayRow> stored = GrayRow.find(transaction, command.key(), name);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        GrayRow row = stored.get();
        HistoryRow.of(row, HistoryRow.DELETE, command.by()).copy(transaction);
        row.delete(transaction);
        return Optional.of(ChangeRow.insert(
                transaction,
                command.key(),
                ChangeRow.GRAY,
                HistoryRow.DELETE,
                Optional.of(row.digest()),
                Optional.empty(),
                command.by()));
    }

    @Override
    public void committed(Optional<ConfigChanged> result) {
        result.ifPresent(change -> observer.removed(command, change));
    }

    @Override
    public void announce(Optional<ConfigChanged> result) {
        result.ifPresent(observer::announce);
    }

    @Override
    public int weightBytes() {
        return 256;
    }
}
