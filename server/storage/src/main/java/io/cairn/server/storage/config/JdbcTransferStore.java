package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigType;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.TransferStore;
import io.cairn.server.config.transfer.WholeConfig;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.row.ConfigRow;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whole configurations from Nacos's tables, by pages of ids with a few contents at a time: reads are short, and drivers have at
 * most a page in memory.
 */
public final class JdbcTransferStore implements TransferStore {

    static final int PAGE_IDS = 500;
    static final long PAGE_BYTES = 4 << 20;

    private static final String COLUMNS = "SELECT id, data_id, group_id, tenant_id, content, type, app_name, c_desc,"
            + " c_use, effect, c_schema, encrypted_data_key, ";
    private static final String SIZES = "SELECT id, LENGTH(content) FROM config_info WHERE tenant_id = ?";

    private final ReadConnections readers;

    public JdbcTransferStore(ReadConnections readers) {
        this.readers = readers;
    }

    private record Size(long id, long bytes) {}

    @Override
    public void forEach(ConfigSelection selection, Consumer<WholeConfig> consumer) {
        if (!selection.ids().isEmpty()) {
            forEachOf(selection.ids(), config -> {
                if (config.key().namespace().equals(selection.namespace())) {
                    consumer.accept(config);
                }
            });
            return;
        }
        long after = Long.MIN_VALUE;
        List<Size> page = page(selection, after);
        while (!page.isEmpty()) {
            List<Long> ids = new ArrayList<>();
            long bytes = 0;
            for (Size size : page) {
                if (!ids.isEmpty() && bytes + size.bytes() > PAGE_BYTES) {
                    load(ids, selection, consumer);
                    ids = new ArrayList<>();
                    bytes = 0;
                }
                ids.add(size.id());
                bytes += size.bytes();
                after = size.id();
            }
            load(ids, selection, consumer);
            page = page.size() < PAGE_IDS ? List.of() : page(selection, after);
        }
    }

    private void load(List<Long> ids, ConfigSelection selection, Consumer<WholeConfig> consumer) {
        for (WholeConfig config : load(ids)) {
            // Exactly, because databases compare letters differently.
            if (selection.matches(config)) {
                consumer.accept(config);
            }
        }
    }

    private List<Size> page(ConfigSelection selection, long after) {
        StringBuilder sql = new StringBuilder(SIZES);
        List<String> parameters = new ArrayList<>();
        parameters.add(readers.dialect().tenant(selection.namespace()));
        narrow(sql, parameters, "data_id", selection.dataId());
        narrow(sql, parameters, "group_id", selection.group());
        narrow(sql, parameters, "app_name", selection.appName());
        sql.append(" AND id > ? ORDER BY id LIMIT ").append(PAGE_IDS);
        return readers.with("reading the list of configurations", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
                int at = 1;
                for (String parameter : parameters) {
                    statement.setString(at++, parameter);
                }
                statement.setLong(at, after);
                try (ResultSet rows = statement.executeQuery()) {
                    List<Size> page = new ArrayList<>();
                    while (rows.next()) {
                        page.add(new Size(rows.getLong(1), rows.getLong(2)));
                    }
                    return page;
                }
            }
        });
    }

    private static void narrow(StringBuilder sql, List<String> parameters, String column, @Nullable String pattern) {
        if (pattern == null) {
            return;
        }
        boolean isPattern = pattern.indexOf('*') >= 0;
        sql.append(" AND ").append(column).append(isPattern ? " LIKE ? ESCAPE '!'" : " = ?");
        parameters.add(isPattern ? Dialect.Match.like(pattern) : pattern);
    }

    @Override
    public void forEachOf(Collection<Long> ids, Consumer<WholeConfig> consumer) {
        // Singly: sizes are unknown, and lists of ids short.
        for (Long id : ids) {
            load(List.of(id)).forEach(consumer);
        }
    }

    private List<WholeConfig> load(List<Long> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        Dialect dialect = readers.dialect();
        String sql = COLUMNS + ConfigRow.tags(dialect) + " FROM config_info WHERE id IN (" + "?,".repeat(ids.size() - 1)
                + "?) ORDER BY id";
        return readers.with("reading configurations", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < ids.size(); i++) {
                    statement.setLong(i + 1, ids.get(i));
                }
                try (ResultSet rows = statement.executeQuery()) {
                    List<WholeConfig> configs = new ArrayList<>();
                    LeftOutRows.Reading reading = readers.leftOut().some(TableNames.FORMAL);
                    while (rows.next()) {
                        if (!dialect.isOtherDefault(rows.getString(4))) {
                            reading.read(rows, JdbcTransferStore::config, 1).ifPresent(configs::add);
                        }
                    }
                    return configs;
                }
            }
        });
    }

    private static WholeConfig config(ResultSet rows) throws SQLException {
        String content = rows.getString(5);
        String encryptedDataKey = rows.getString(12);
        String tags = rows.getString(13);
        return new WholeConfig(
                rows.getLong(1),
                RowRules.key(rows, 2, 3, 4),
                (content == null ? "" : content).getBytes(StandardCharsets.UTF_8),
                new ConfigAttributes(
                        ConfigType.ofWireName(rows.getString(6)),
                        rows.getString(7),
                        rows.getString(8),
                        rows.getString(9),
                        rows.getString(10),
                        rows.getString(11),
                        tags == null || tags.isEmpty() ? List.of() : List.of(tags.split(",")),
                        encryptedDataKey == null ? "" : encryptedDataKey));
    }
}
