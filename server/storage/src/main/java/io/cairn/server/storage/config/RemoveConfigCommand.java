package io.cairn.server.storage.config;

import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.ConfigRow;
import io.cairn.server.storage.row.ConfigTable;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.Optional;

/** Deletes a configuration; its history keeps the content. */
final class RemoveConfigCommand implements StoreCommand<Optional<ConfigChanged>> {

    private final RemoveConfig command;
    private final ConfigStore.CommitObserver observer;

    RemoveConfigCommand(RemoveConfig command, ConfigStore.CommitObserver observer) {
        this.command = command;
        this.observer = observer;
    }

    @Override
    public Optional<ConfigChanged> execute(WriteTransaction transaction) throws SQLException {
        Optional<ConfigRow> stored = ConfigRow.find(transaction, command.key());
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        ConfigRow row = stored.get();
        HistoryRow.of(row, row.id(), null, HistoryRow.DELETE, command.by()).copy(transaction);
        ConfigTable.delete(transaction, row.id());
        return Optional.of(ChangeRow.insert(
                transaction,
                command.key(),
                ChangeRow.CONFIG,
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
