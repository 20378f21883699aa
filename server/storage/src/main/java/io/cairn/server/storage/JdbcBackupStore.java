package io.cairn.server.storage;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.backup.BackupArchive;
import io.cairn.server.backup.BackupOptions;
import io.cairn.server.backup.BackupStore;
import io.cairn.server.backup.BackupWriter;
import io.cairn.server.backup.RestoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** All tables, read in one transaction that sees one moment, and written in one transaction. Thread-safe. */
public final class JdbcBackupStore implements BackupStore {

    /** Sections that every server fills at its first start, or that a restore never deletes. */
    private static final Set<String> NO_MATTER = Set.of("userFlags", "roles", "switches", BackupTable.AUDIT);

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final Runnable reload;

    /** @param reload makes memory show what is stored; called on the writer's thread */
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
                    if (isWanted) {
                        write(connection, table, out);
                    }
                }
                return true;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
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
        while (rows.next()) {
            if (tenant > 0 && dialect.isOtherDefault(rows.getString(tenant))) {
                // Nacos 3 keeps these rows for older servers; Cairn does not show them either.
                continue;
            }
            BackupWriter.Row line = lines.next();
            for (int i = 0; i < columns.size(); i++) {
                line.put(columns.get(i).name(), BackupTable.read(dialect, rows, i + 1, columns.get(i)));
            }
        }
    }

    @Override
    public List<String> occupied(RestoreOptions options) {
        return readers.with("looking whether the server is empty", connection -> occupied(connection, options));
    }

    /** The sections that hold something. */
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
