package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows some configurations as they are stored, whichever program has stored them. As a command of the writer it cannot fall
 * between one of its other commands and what that shows, so no write of this node is ever undone or taken for another's.
 * It does not lock out other nodes: a change that they commit meanwhile is announced by the change log, and read again.
 * The result is the number of configurations that were read.
 */
final class RecheckCommand implements StoreCommand<Integer> {

    private static final String KEY = "(data_id = ? AND group_id = ? AND tenant_id = ?)";
    private static final RepeatedSql FORMAL =
            new RepeatedSql(JdbcConfigStore.SELECT_ENTRY + ", id FROM config_info WHERE ", KEY, " OR ", "");
    private static final RepeatedSql GRAY =
            new RepeatedSql(JdbcConfigStore.SELECT_GRAY + ", id FROM config_info_gray WHERE ", KEY, " OR ", "");
    private static final String FORMAL_CONTENT =
            JdbcConfigStore.SELECT_ENTRY + ", content FROM config_info" + JdbcConfigStore.OF_KEY;
    private static final String GRAY_CONTENT =
            JdbcConfigStore.SELECT_GRAY + ", content FROM config_info_gray" + JdbcConfigStore.OF_KEY;
    private static final Logger log = LoggerFactory.getLogger(RecheckCommand.class);

    private final Map<ConfigKey, Suspicion> suspects;
    private final ConfigView view;
    private final Map<ConfigKey, Found> found = new HashMap<>();

    /**
     * The part of a configuration that may differ.
     *
     * @param gray whether its gray releases may; they are also read where some are shown, for their type is that of the
     *     configuration
     * @param content whether the content may differ from its md5, because another program than Cairn has written it
     */
    record Suspicion(boolean gray, boolean content) {

        Suspicion and(Suspicion other) {
            return new Suspicion(gray || other.gray, content || other.content);
        }
    }

    private static final class Found {

        private @Nullable ConfigEntry formal;
        private List<ConfigEntry> gray = new ArrayList<>();
    }

    RecheckCommand(Map<ConfigKey, Suspicion> suspects, ConfigView view) {
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
        Set<ConfigKey> unreadable = new HashSet<>();
        for (Map.Entry<ConfigKey, Suspicion> suspect : suspects.entrySet()) {
            ConfigKey key = suspect.getKey();
            found.put(key, new Found());
            boolean hasGray =
                    suspect.getValue().gray() || !view.grayEntries(key).isEmpty();
            if (suspect.getValue().content()) {
                readContent(transaction, key, unreadable);
            } else {
                keys.add(key);
                if (hasGray) {
                    withGray.add(key);
                }
            }
        }
        if (!keys.isEmpty()) {
            FORMAL.forEach(keys, (sql, some) -> readFormal(transaction, sql, some, unreadable));
        }
        if (!withGray.isEmpty()) {
            GRAY.forEach(withGray, (sql, some) -> readGray(transaction, sql, some, unreadable));
        }
        found.keySet().removeAll(unreadable);
        return found.size();
    }

    private void readFormal(WriteTransaction transaction, String sql, List<ConfigKey> keys, Set<ConfigKey> unreadable)
            throws SQLException {
        Connection jdbc = transaction.jdbc();
        try (ResultSet rows = bound(transaction, sql, keys).executeQuery()) {
            while (rows.next()) {
                read(rows, unreadable, of -> {
                    ContentDigest digest =
                            JdbcConfigStore.digest(jdbc, JdbcConfigStore.FORMAL, rows.getString(4), rows.getLong(8));
                    of.formal = JdbcConfigStore.entry(transaction.dialect(), rows, digest);
                });
            }
        }
    }

    private void readGray(WriteTransaction transaction, String sql, List<ConfigKey> keys, Set<ConfigKey> unreadable)
            throws SQLException {
        Connection jdbc = transaction.jdbc();
        try (ResultSet rows = bound(transaction, sql, keys).executeQuery()) {
            while (rows.next()) {
                read(rows, unreadable, of -> {
                    ContentDigest digest =
                            JdbcConfigStore.digest(jdbc, JdbcConfigStore.GRAY, rows.getString(4), rows.getLong(9));
                    of.gray.add(JdbcConfigStore.grayEntry(transaction.dialect(), rows, digest, type(of)));
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

    /** A person may have changed the content and not its md5. One by one, because contents may be large. */
    private void readContent(WriteTransaction transaction, ConfigKey key, Set<ConfigKey> unreadable)
            throws SQLException {
        try (ResultSet rows = bound(transaction, FORMAL_CONTENT, List.of(key)).executeQuery()) {
            while (rows.next()) {
                read(
                        rows,
                        unreadable,
                        of -> of.formal = JdbcConfigStore.entry(transaction.dialect(), rows, digest(rows, 8)));
            }
        }
        try (ResultSet rows = bound(transaction, GRAY_CONTENT, List.of(key)).executeQuery()) {
            while (rows.next()) {
                read(
                        rows,
                        unreadable,
                        of -> of.gray.add(
                                JdbcConfigStore.grayEntry(transaction.dialect(), rows, digest(rows, 9), type(of))));
            }
        }
    }

    private interface RowReader {
        void read(Found of) throws SQLException;
    }

    /** Reads a row, unless it belongs to a key in other letters, which some databases take for the same. */
    private void read(ResultSet rows, Set<ConfigKey> unreadable, RowReader reader) throws SQLException {
        ConfigKey key = JdbcConfigStore.key(rows);
        Found of = found.get(key);
        if (of == null) {
            return;
        }
        try {
            reader.read(of);
        } catch (IllegalArgumentException | CairnException e) {
            unreadable.add(key);
            log.warn("Configuration {} cannot be read again and is shown as it was: {}", key, e.getMessage());
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
        // The view has: it knows what differed.
    }

    @Override
    public int weightBytes() {
        return 256 + 64 * suspects.size();
    }
}
