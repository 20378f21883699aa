package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Shows some configurations as they are stored, whoever has stored them. As a command of the writer it cannot fall
 * between one of its other commands and what that shows, so no write of this node is ever undone or taken for another's.
 * The result is how many differed.
 */
final class RecheckCommand implements StoreCommand<Integer> {

    private static final String FORMAL = JdbcConfigStore.SELECT_ENTRY + ", content FROM config_info";
    private static final String GRAY = JdbcConfigStore.SELECT_GRAY + ", content FROM config_info_gray";

    private final Set<ConfigKey> keys;
    private final ConfigView view;
    private final Runnable then;
    private final Map<ConfigKey, Found> found = new HashMap<>();

    private record Found(@Nullable ConfigEntry formal, List<ConfigEntry> gray) {}

    /** @param then called on the writer's thread as well, after the commit */
    RecheckCommand(Set<ConfigKey> keys, ConfigView view, Runnable then) {
        this.keys = Set.copyOf(keys);
        this.view = view;
        this.then = then;
    }

    @Override
    public Integer execute(WriteTransaction transaction) throws SQLException {
        found.clear();
        for (ConfigKey key : keys) {
            found.put(key, read(transaction, key));
        }
        return keys.size();
    }

    private static Found read(WriteTransaction transaction, ConfigKey key) throws SQLException {
        ConfigEntry formal = null;
        PreparedStatement find = transaction.prepared(FORMAL + JdbcConfigStore.OF_KEY);
        transaction.bindKey(find, 1, key);
        try (ResultSet rows = find.executeQuery()) {
            if (rows.next()) {
                formal = JdbcConfigStore.entry(transaction.dialect(), rows, digest(rows, 8));
            }
        }
        List<ConfigEntry> gray = new ArrayList<>();
        PreparedStatement findGray = transaction.prepared(GRAY + JdbcConfigStore.OF_KEY);
        transaction.bindKey(findGray, 1, key);
        try (ResultSet rows = findGray.executeQuery()) {
            while (rows.next()) {
                ConfigType type = formal == null ? ConfigType.TEXT : formal.type();
                gray.add(JdbcConfigStore.grayEntry(transaction.dialect(), rows, digest(rows, 9), type));
            }
        }
        return new Found(formal, gray);
    }

    /** A person may have changed the content and not its md5. */
    private static ContentDigest digest(ResultSet rows, int column) throws SQLException {
        String content = rows.getString(column);
        return ContentDigest.of(content == null ? "" : content);
    }

    @Override
    public void committed(Integer result) {
        found.forEach((key, present) -> view.found(key, present.formal(), present.gray()));
        then.run();
    }

    @Override
    public void announce(Integer result) {
        // The view has: it knows what differed.
    }

    @Override
    public boolean readsOnly() {
        return true;
    }

    @Override
    public int weightBytes() {
        return 256 + 64 * keys.size();
    }
}
