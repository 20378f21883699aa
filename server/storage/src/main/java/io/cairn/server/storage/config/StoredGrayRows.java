package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.RowSource;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.row.ConfigEntries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One configuration's few gray releases, each read on demand. For one thread at a time. */
final class StoredGrayRows implements RowSource<StoredGray> {

    private static final String WHOLE = "id, gray_name, gray_rule, content, md5, encrypted_data_key, app_name,"
            + " gmt_create, gmt_modified, src_user, src_ip";

    private final ReadConnections readers;
    private final Dialect dialect;
    private final ConfigKey key;
    private final List<String> names;
    private final String bytes;
    private final String whole;
    private int next;

    StoredGrayRows(ReadConnections readers, ConfigKey key, List<String> names) {
        this.readers = readers;
        this.dialect = readers.dialect();
        this.key = key;
        this.names = names;
        this.bytes = ofName(dialect.bytesOf("content"));
        this.whole = ofName(WHOLE);
    }

    /** From the table that has a release of that name; the other has none. */
    private static String ofName(String columns) {
        return TableNames.GRAYS.stream()
                .map(table -> "SELECT " + columns + " FROM " + table + ConfigEntries.OF_KEY + " AND gray_name = ?")
                .collect(Collectors.joining(" UNION ALL "));
    }

    @Override
    public List<StoredGray> next(MemoryLease lease) {
        Optional<StoredGray> found = Optional.empty();
        while (found.isEmpty() && next < names.size()) {
            String name = names.get(next);
            String purpose = "reading the gray releases of " + key;
            lease.reserveContent(readers.with(purpose, connection -> bytes(connection, name)));
            found = readers.with(purpose, connection -> whole(connection, name));
            next++;
        }
        return found.stream().toList();
    }

    @Override
    public boolean isReady() {
        return next == names.size();
    }

    private long bytes(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(bytes)) {
            bind(statement, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }

    private Optional<StoredGray> whole(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(whole)) {
            bind(statement, name);
            try (ResultSet rows = statement.executeQuery()) {
                LeftOutRows.Reading reading = readers.leftOut().some(TableNames.GRAY);
                return rows.next() ? reading.read(rows, this::gray, 1) : Optional.empty();
            }
        }
    }

    private StoredGray gray(ResultSet row) throws SQLException {
        return new StoredGray(
                row.getLong(1),
                key,
                GrayRule.read(RowRules.name("gray_name", row.getString(2)), row.getString(3)),
                text(row.getString(4)),
                text(row.getString(5)),
                text(row.getString(6)),
                text(row.getString(7)),
                time(row, 8),
                time(row, 9),
                row.getString(10),
                row.getString(11));
    }

    private void bind(PreparedStatement statement, String name) throws SQLException {
        int next = 1;
        for (int i = 0; i < TableNames.GRAYS.size(); i++) {
            next = dialect.bindKey(statement, next, key);
            statement.setString(next++, name);
        }
    }

    private Instant time(ResultSet rows, int column) throws SQLException {
        return Instant.ofEpochMilli(dialect.time(rows, column));
    }

    private static String text(@Nullable String column) {
        return column == null ? "" : column;
    }
}
