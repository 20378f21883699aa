package io.cairn.server.storage.mirror;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.row.ConfigEntries;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

final class MirrorCommand implements StoreCommand<Boolean> {

    // The mirror is always SQLite.
    private static final String UPSERT = "INSERT INTO config_info (data_id, group_id, tenant_id, content, md5, type,"
            + " gmt_modified, gmt_create, encrypted_data_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            + " ON CONFLICT (data_id, group_id, tenant_id) DO UPDATE SET content = excluded.content, md5 = excluded.md5,"
            + " type = excluded.type, gmt_modified = excluded.gmt_modified,"
            + " encrypted_data_key = excluded.encrypted_data_key";
    private static final String GRAY_COLUMNS = " (data_id, group_id, tenant_id, content, md5,"
            + " gray_name, gray_rule, gmt_modified, gmt_create, encrypted_data_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final Work work;
    private final int weight;

    private MirrorCommand(Work work, int weight) {
        this.work = work;
        this.weight = weight;
    }

    private interface Work {
        void run(WriteTransaction transaction) throws SQLException;
    }

    /**
     * Replaces the rows of these configurations and gray releases; an empty list deletes.
     *
     * @param withGray those with possible gray releases in the mirror
     */
    static MirrorCommand configs(Map<ConfigKey, List<ConfigVersion>> versions, Set<ConfigKey> withGray) {
        int bytes = 0;
        for (List<ConfigVersion> each : versions.values()) {
            for (ConfigVersion version : each) {
                bytes += version.length();
            }
        }
        return new MirrorCommand(
                transaction -> {
                    for (Map.Entry<ConfigKey, List<ConfigVersion>> each : versions.entrySet()) {
                        replace(transaction, each.getKey(), each.getValue(), withGray.contains(each.getKey()));
                    }
                },
                bytes);
    }

    static MirrorCommand tables(List<MirrorTables.Content> contents) {
        return new MirrorCommand(transaction -> MirrorTables.replace(transaction.jdbc(), contents), 0);
    }

    static MirrorCommand sql(String sql) {
        return new MirrorCommand(transaction -> transaction.prepared(sql).executeUpdate(), 0);
    }

    private static void replace(
            WriteTransaction transaction, ConfigKey key, List<ConfigVersion> versions, boolean hadGray)
            throws SQLException {
        // Nearly all have one version, which replaces the former.
        if (versions.stream().allMatch(version -> version.entry().gray() != null)) {
            delete(transaction, TableNames.FORMAL, key);
        }
        if (hadGray) {
            for (String table : TableNames.GRAYS) {
                delete(transaction, table, key);
            }
        }
        for (ConfigVersion version : versions) {
            ConfigEntry entry = version.entry();
            GrayRule gray = entry.gray();
            PreparedStatement insert = transaction.prepared(
                    gray == null ? UPSERT : "INSERT INTO " + TableNames.grayOf(gray) + GRAY_COLUMNS);
            int at = transaction.bindKey(insert, 1, key);
            insert.setString(at++, new String(version.utf8(), StandardCharsets.UTF_8));
            insert.setString(at++, entry.digest().toString());
            if (gray == null) {
                insert.setString(at++, entry.type().wireName());
            } else {
                insert.setString(at++, gray.name());
                insert.setString(at++, gray.toJson());
            }
            insert.setLong(at++, entry.lastModifiedMillis());
            insert.setLong(at++, entry.lastModifiedMillis());
            insert.setString(at, entry.encryptedDataKey());
            insert.executeUpdate();
        }
    }

    private static void delete(WriteTransaction transaction, String table, ConfigKey key) throws SQLException {
        PreparedStatement delete = transaction.prepared("DELETE FROM " + table + ConfigEntries.OF_KEY);
        transaction.bindKey(delete, 1, key);
        delete.executeUpdate();
    }

    @Override
    public Boolean execute(WriteTransaction transaction) throws SQLException {
        work.run(transaction);
        return true;
    }

    @Override
    public void committed(Boolean result) {}

    @Override
    public void announce(Boolean result) {}

    @Override
    public int weightBytes() {
        return 256 + weight;
    }
}
