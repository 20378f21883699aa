package io.cairn.server.storage.backup;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.backup.BackupArchive;
import io.cairn.server.backup.BackupService;
import io.cairn.server.backup.Manifest;
import io.cairn.server.backup.RestoreOptions;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Replaces stored rows by an archive's. Alone in its transaction; may take minutes. */
final class RestoreCommand implements StoreCommand<Boolean> {

    private static final int BATCH_ROWS = 500;
    private static final long BATCH_BYTES = 1 << 20;

    private final BackupArchive archive;
    private final RestoreOptions options;
    private final AuditRecord entry;
    private final Runnable reload;

    RestoreCommand(BackupArchive archive, RestoreOptions options, AuditRecord entry, Runnable reload) {
        this.archive = archive;
        this.options = options;
        this.entry = entry;
        this.reload = reload;
    }

    @Override
    public Boolean execute(WriteTransaction transaction) throws SQLException {
        Connection connection = transaction.jdbc();
        List<String> occupied = options.overwrite() ? List.of() : JdbcBackupStore.occupied(connection, options);
        if (!occupied.isEmpty()) {
            throw BackupService.occupied(occupied);
        }
        Dialect dialect = transaction.dialect();
        dialect.waitLong(connection, true);
        try {
            replaceAll(connection, dialect);
        } finally {
            dialect.waitLong(connection, false);
        }
        AuditRow.insert(transaction, entry);
        // A revision without a row is a gap that makes other nodes compare everything.
        transaction.nextRevision();
        ChangeRow.insertRestored(transaction);
        return true;
    }

    private void replaceAll(Connection connection, Dialect dialect) throws SQLException {
        deleteAbsent(connection, dialect);
        for (Manifest.Section section : archive.manifest().sections()) {
            BackupTable table = BackupTable.ofSection(section.name());
            if (!isRestored(table)) {
                continue;
            }
            try {
                if (table.section().equals(BackupTable.AUDIT)) {
                    addMissing(connection, dialect, section, table);
                } else {
                    replace(connection, dialect, section, table);
                }
            } catch (IllegalArgumentException e) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER,
                        "The archive cannot be restored: section '" + section.name() + "': " + e.getMessage()
                                + "; nothing was changed",
                        e);
            }
        }
    }

    private boolean isRestored(BackupTable table) {
        return options.accounts() || !BackupTable.ACCOUNTS.contains(table.section());
    }

    /** An archive has no section for some tables without rows. */
    private void deleteAbsent(Connection connection, Dialect dialect) throws SQLException {
        Set<String> present = archive.manifest().sections().stream()
                .map(Manifest.Section::name)
                .collect(Collectors.toSet());
        try (Statement statement = connection.createStatement()) {
            for (BackupTable table : BackupTable.ALL) {
                if (table.isAbsentWithoutRows() && isRestored(table) && !present.contains(table.section())) {
                    statement.executeUpdate("DELETE FROM " + table.writtenTable(dialect));
                }
            }
            if (present.contains(BackupTable.OWN_GRAYS)) {
                statement.executeUpdate(SchemaVersion.HAS_LABEL_RELEASES);
            }
        }
    }

    private void replace(Connection connection, Dialect dialect, Manifest.Section section, BackupTable table)
            throws SQLException {
        try (Statement delete = connection.createStatement()) {
            delete.executeUpdate("DELETE FROM " + table.writtenTable(dialect));
        }
        try (PreparedStatement insert = connection.prepareStatement(table.insert(dialect))) {
            Batch batch = new Batch(insert);
            archive.<SQLException>forEach(section, row -> {
                table.bind(dialect, insert, row);
                batch.add(row);
            });
            batch.execute();
        }
        Optional<String> givenId = table.givenId();
        if (givenId.isPresent()) {
            dialect.idsGiven(connection, table.writtenTable(dialect), givenId.get());
        }
    }

    /** Records are never removed, and present ones not added again. */
    private void addMissing(Connection connection, Dialect dialect, Manifest.Section section, BackupTable table)
            throws SQLException {
        String known = "SELECT 1 FROM cairn_audit WHERE done_at = ? AND who = ? AND action = ? AND target = ?"
                + " AND COALESCE(detail, '') = ?";
        try (PreparedStatement find = connection.prepareStatement(known);
                PreparedStatement insert = connection.prepareStatement(table.insert(dialect))) {
            archive.<SQLException>forEach(section, row -> {
                if (!isKnown(find, row)) {
                    table.bind(dialect, insert, row);
                    insert.executeUpdate();
                }
            });
        }
    }

    private static boolean isKnown(PreparedStatement find, Map<String, Object> row) throws SQLException {
        find.setObject(1, row.getOrDefault("done_at", 0L));
        find.setObject(2, row.getOrDefault("who", ""));
        find.setObject(3, row.getOrDefault("action", ""));
        find.setObject(4, row.getOrDefault("target", ""));
        find.setObject(5, row.getOrDefault("detail", ""));
        try (ResultSet rows = find.executeQuery()) {
            return rows.next();
        }
    }

    private static final class Batch {

        private final PreparedStatement insert;
        private int rows;
        private long bytes;

        Batch(PreparedStatement insert) {
            this.insert = insert;
        }

        void add(Map<String, Object> row) throws SQLException {
            insert.addBatch();
            rows++;
            bytes += BackupTable.weight(row);
            if (rows >= BATCH_ROWS || bytes >= BATCH_BYTES) {
                execute();
            }
        }

        void execute() throws SQLException {
            if (rows > 0) {
                insert.executeBatch();
                rows = 0;
                bytes = 0;
            }
        }
    }

    @Override
    public boolean takesLong() {
        return true;
    }

    @Override
    public void committed(Boolean result) {
        reload.run();
    }

    @Override
    public void announce(Boolean result) {
        // The reload has notified everyone.
    }

    @Override
    public int weightBytes() {
        return 1024;
    }
}
