package io.cairn.server.storage.backup;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.backup.BackupArchive;
import io.cairn.server.backup.BackupOptions;
import io.cairn.server.backup.BackupStore;
import io.cairn.server.backup.BackupWriter;
import io.cairn.server.backup.RestoreOptions;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.StoreWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Backs up all tables in one snapshot, and restores them in one transaction. */
public final class JdbcBackupStore implements BackupStore {

    /** Sections that every first start fills, or that a restore never deletes. */
    private static final Set<String> NO_MATTER = Set.of("userFlags", "roles", "switches", BackupTable.AUDIT);

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final Runnable reload;

    /** @param reload shows the stored state; called on the writer's thread */
    public JdbcBackupStore(StoreWriter writer, ReadConnections readers, Runnable reload) {
        this.writer = writer;
        this.readers = readers;
        this.reload = reload;
    }

    @Override
    public Map<String, Set<String>> sections() {
        return BackupTable.ALL.stream().collect(Collectors.toMap(BackupTable::section, BackupTable::names));
    }

    @Override
    public void write(BackupOptions options, BackupWriter out) throws IOException {
        try {
            readers.snapshot("making a backup", connection -> {
                for (BackupTable table : BackupTable.ALL) {
                    boolean isWanted = (options.history() || !table.section().equals(BackupTable.HISTORY))
                            && (options.accounts() || !BackupTable.ACCOUNTS.contains(table.section()))
                            && (options.audit() || !table.section().equals(BackupTable.AUDIT));
                    if (isWanted && !(table.isAbsentWithoutRows() && isEmpty(connection, table))) {
                        write(connection, table, out);
                    }
                }
                return true;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static boolean isEmpty(Connection connection, BackupTable table) throws SQLException {
        return count(connection, "SELECT 1 FROM " + table.table() + " LIMIT 1") == 0;
    }

    private void write(Connection connection, BackupTable table, BackupWriter out) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            readers.dialect().streamRows(statement);
            try (ResultSet rows = statement.executeQuery(table.select())) {
                out.section(table.section(), lines -> write(rows, table, lines));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void write(ResultSet rows, BackupTable table, BackupWriter.Rows lines) throws SQLException {
        Dialect dialect = readers.dialect();
        List<BackupTable.Column> columns = table.columns();
        int tenant = 0;
        for (int i = 0; i < columns.size(); i++) {
            tenant = columns.get(i).kind() == BackupTable.Kind.TENANT ? i + 1 : tenant;
        }
        LeftOutRows.Reading reading = readers.leftOut().some(table.table());
        while (rows.next()) {
            if (tenant > 0 && dialect.isOtherDefault(rows.getString(tenant))) {
                // Nacos 3 keeps these rows for older servers; Cairn ignores them.
                continue;
            }
            // No server could use such a row, and two without a name would be one there.
            Optional<List<Optional<Object>>> values = reading.read(rows, row -> values(row, table), table.idColumns());
            if (values.isPresent()) {
                BackupWriter.Row line = lines.next();
                for (int i = 0; i < columns.size(); i++) {
                    line.put(columns.get(i).name(), values.get().get(i).orElse(null));
                }
            }
        }
    }

    private List<Optional<Object>> values(ResultSet row, BackupTable table) throws SQLException {
        List<Optional<Object>> values = new ArrayList<>();
        for (BackupTable.Column column : table.columns()) {
            values.add(Optional.ofNullable(table.read(readers.dialect(), row, values.size() + 1, column)));
        }
        return values;
    }

    @Override
    public List<String> occupied(RestoreOptions options) {
        return readers.with("looking whether the server is empty", connection -> occupied(connection, options));
    }

    static List<String> occupied(Connection connection, RestoreOptions options) throws SQLException {
        List<String> occupied = new ArrayList<>();
        for (BackupTable table : BackupTable.ALL) {
            // The first start makes one user.
            int free = table.section().equals(BackupTable.USERS) ? 1 : 0;
            String sql = "SELECT 1 FROM " + table.table() + " LIMIT " + (free + 1);
            boolean isLeft = NO_MATTER.contains(table.section())
                    || !options.accounts() && BackupTable.ACCOUNTS.contains(table.section());
            if (!isLeft && count(connection, sql) > free) {
                occupied.add(table.section());
            }
        }
        return occupied;
    }

    private static int count(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            int count = 0;
            while (rows.next()) {
                count++;
            }
            return count;
        }
    }

    @Override
    public CompletionStage<Void> restore(BackupArchive archive, RestoreOptions options, AuditRecord entry) {
        return writer.submit(new RestoreCommand(archive, options, entry, reload))
                .thenAccept(done -> {});
    }
}
