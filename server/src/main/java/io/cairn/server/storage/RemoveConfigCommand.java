package io.cairn.server.storage;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.RemoveConfig;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Deletes one configuration; its history keeps the content. */
final class RemoveConfigCommand implements StoreCommand<Optional<ConfigChanged>> {

    private static final String FIND = "SELECT id, md5, type, src_user, c_desc, c_use, effect, c_schema"
            + " FROM config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?";

    private final RemoveConfig command;
    private final ConfigStore.CommitObserver observer;

    RemoveConfigCommand(RemoveConfig command, ConfigStore.CommitObserver observer) {
        this.command = command;
        this.observer = observer;
    }

    @Override
    public Optional<ConfigChanged> execute(WriteTransaction transaction) throws SQLException {
        PreparedStatement find = transaction.prepared(FIND);
        JdbcConfigStore.bindKey(find, 1, command.key());
        long id;
        String md5;
        String extInfo;
        try (ResultSet rows = find.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            id = rows.getLong(1);
            md5 = rows.getString(2);
            extInfo = HistoryRow.extInfo(
                    rows.getString(3),
                    rows.getString(4),
                    rows.getString(5),
                    rows.getString(6),
                    rows.getString(7),
                    rows.getString(8));
        }
        ContentDigest before = JdbcConfigStore.digest(transaction.jdbc(), JdbcConfigStore.FORMAL, md5, id);
        HistoryRow.copy(transaction, id, HistoryRow.DELETE, command.by(), extInfo);
        deleteById(transaction, "DELETE FROM config_tags_relation WHERE id = ?", id);
        deleteById(transaction, "DELETE FROM config_info WHERE id = ?", id);
        return Optional.of(ChangeRow.insert(
                transaction,
                command.key(),
                ChangeRow.CONFIG,
                HistoryRow.DELETE,
                Optional.of(before),
                Optional.empty()));
    }

    private static void deleteById(WriteTransaction transaction, String sql, long id) throws SQLException {
        PreparedStatement delete = transaction.prepared(sql);
        delete.setLong(1, id);
        delete.executeUpdate();
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
