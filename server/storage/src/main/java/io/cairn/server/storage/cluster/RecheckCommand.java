package io.cairn.server.storage.cluster;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.storage.database.RepeatedSql;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.row.ConfigEntries;
import io.cairn.server.storage.row.ConfigRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows configurations as stored, by whichever program. In the writer's turn, so no write of this node is undone or mistaken. Does
 * not exclude other nodes: the change log announces their concurrent changes. Returns the number of read configurations.
 */
public final class RecheckCommand implements StoreCommand<Integer> {

    private static final String KEY = "(data_id = ? AND group_id = ? AND tenant_id = ?)";
    private static final RepeatedSql FORMAL =
            new RepeatedSql(ConfigEntries.SELECT_ENTRY + ", id FROM config_info WHERE ", KEY, " OR ", "");
    /** By table. */
    private static final Map<String, RepeatedSql> GRAYS = TableNames.GRAYS.stream()
            .collect(Collectors.toUnmodifiableMap(
                    table -> table,
                    table -> new RepeatedSql(
                            ConfigEntries.SELECT_GRAY + ", id FROM " + table + " WHERE ", KEY, " OR ", "")));

    private static final String FORMAL_CONTENT =
            ConfigEntries.SELECT_ENTRY + ", content FROM config_info" + ConfigEntries.OF_KEY;
    private static final Logger log = LoggerFactory.getLogger(RecheckCommand.class);

    private final Map<ConfigKey, Suspicion> suspects;
    private final ConfigView view;
    private final Map<ConfigKey, Found> found = new HashMap<>();

    /**
     * The possibly different parts.
     *
     * @param gray also read where some are shown, because their type is the configuration's
     * @param content may differ from its md5, because of another program
     */
    public record Suspicion(boolean gray, boolean content) {

        Suspicion and(Suspicion other) {
            return new Suspicion(gray || other.gray, content || other.content);
        }
    }

    private static final class Found {

        private @Nullable ConfigEntry formal;
        private List<ConfigEntry> gray = new ArrayList<>();
    }

    public RecheckCommand(Map<ConfigKey, Suspicion> suspects, ConfigView view) {
        this.suspects = Map.copyOf(suspects);
        this.view = view;
    }

    @Override
    public boolean readsOnly() {
        return true;
    }

    @Override
    public Integer execute(WriteTransaction transaction) throws SQLException {
        found.clear();
        List<ConfigKey> keys = new ArrayList<>();
        List<ConfigKey> withGray = new ArrayList<>();
        for (Map.Entry<ConfigKey, Suspicion> suspect : suspects.entrySet()) {
            ConfigKey key = suspect.getKey();
            found.put(key, new Found());
            boolean hasGray =
                    suspect.getValue().gray() || !view.grayEntries(key).isEmpty();
            if (suspect.getValue().content()) {
                readContent(transaction, key);
            } else {
                keys.add(key);
                if (hasGray) {
                    withGray.add(key);
                }
            }
        }
        if (!keys.isEmpty()) {
            FORMAL.forEach(keys, (sql, some) -> readFormal(transaction, sql, some));
        }
        if (!withGray.isEmpty()) {
            for (String table : TableNames.GRAYS) {
                Objects.requireNonNull(GRAYS.get(table))
                        .forEach(withGray, (sql, some) -> readGray(transaction, table, sql, some));
            }
        }
        return found.size();
    }

    private void readFormal(WriteTransaction transaction, String sql, List<ConfigKey> keys) throws SQLException {
        Connection jdbc = transaction.jdbc();
        try (ResultSet rows = bound(transaction, sql, keys).executeQuery()) {
            while (rows.next()) {
                read(rows, of -> {
                    ContentDigest digest =
                            ConfigEntries.digest(jdbc, TableNames.FORMAL, rows.getString(4), rows.getLong(8));
                    of.formal = ConfigEntries.entry(transaction.dialect(), rows, digest);
                });
            }
        }
    }

    private void readGray(WriteTransaction transaction, String table, String sql, List<ConfigKey> keys)
            throws SQLException {
        Connection jdbc = transaction.jdbc();
        try (ResultSet rows = bound(transaction, sql, keys).executeQuery()) {
            while (rows.next()) {
                read(rows, of -> {
                    ContentDigest digest = ConfigEntries.digest(jdbc, table, rows.getString(4), rows.getLong(9));
                    of.gray.add(ConfigEntries.grayEntry(transaction.dialect(), table, rows, digest, type(of)));
                });
            }
        }
    }

    private static PreparedStatement bound(WriteTransaction transaction, String sql, List<ConfigKey> keys)
            throws SQLException {
        PreparedStatement find = transaction.prepared(sql);
        int at = 1;
        for (ConfigKey key : keys) {
            at = transaction.bindKey(find, at, key);
        }
        return find;
    }

    /** A person may change the content without its md5. Singly, because contents may be large. */
    private void readContent(WriteTransaction transaction, ConfigKey key) throws SQLException {
        try (ResultSet rows = bound(transaction, FORMAL_CONTENT, List.of(key)).executeQuery()) {
            while (rows.next()) {
                read(rows, of -> of.formal = ConfigEntries.entry(transaction.dialect(), rows, digest(rows, 8)));
            }
        }
        for (String table : TableNames.GRAYS) {
            String content = ConfigEntries.SELECT_GRAY + ", content, id FROM " + table + ConfigEntries.OF_KEY;
            try (ResultSet rows = bound(transaction, content, List.of(key)).executeQuery()) {
                while (rows.next()) {
                    read(rows, of -> {
                        // As for the load of all: a row with a number beyond long is skipped.
                        rows.getLong(10);
                        of.gray.add(
                                ConfigEntries.grayEntry(transaction.dialect(), table, rows, digest(rows, 9), type(of)));
                    });
                }
            }
        }
    }

    private interface RowReader {
        void read(Found of) throws SQLException;
    }

    /**
     * Skips a row of another key, also in another case, which some databases find. Skips an unusable row; the comparison reports
     * it.
     */
    private void read(ResultSet rows, RowReader reader) throws SQLException {
        Found of = ConfigRow.key(rows).map(found::get).orElse(null);
        if (of == null) {
            return;
        }
        try {
            reader.read(of);
        } catch (SQLDataException | IllegalArgumentException | CairnException e) {
            log.debug("A row is left out: {}", e.getMessage());
        }
    }

    private static ConfigType type(Found of) {
        return of.formal == null ? ConfigType.TEXT : of.formal.type();
    }

    private static ContentDigest digest(ResultSet rows, int column) throws SQLException {
        String content = rows.getString(column);
        return ContentDigest.of(content == null ? "" : content);
    }

    @Override
    public void committed(Integer result) {
        found.forEach((key, present) -> view.found(key, present.formal, present.gray));
    }

    @Override
    public void announce(Integer result) {
        // The view has: it knows the differences.
    }

    @Override
    public int weightBytes() {
        return 256 + 64 * suspects.size();
    }
}
