package io.cairn.server.storage.sqlite;

import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.WriteConnection;
import io.cairn.server.storage.database.WriteProbe;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** SQLite, with one exclusive write connection. */
final class SqliteDialect implements Dialect {

    private static final String BEGIN = "BEGIN IMMEDIATE";
    private static final String COMMIT = "COMMIT";
    private static final String LAST_REVISION = "SELECT value FROM cairn_revision WHERE id = 1";

    @Override
    public void begin(Connection connection) throws SQLException {
        execute(connection, BEGIN);
    }

    @Override
    public void begin(WriteConnection writer) throws SQLException {
        writer.prepared(BEGIN).execute();
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        execute(connection, COMMIT);
    }

    @Override
    public void commit(WriteConnection writer) throws SQLException {
        writer.prepared(COMMIT).execute();
    }

    @Override
    public void rollback(Connection connection) throws SQLException {
        try {
            execute(connection, "ROLLBACK");
        } catch (SQLException e) {
            // SQLite itself rolls back on a full disk or I/O error, and then has no transaction.
            if (e.getMessage() == null || !e.getMessage().contains("no transaction is active")) {
                throw e;
            }
        }
    }

    @Override
    public void beginSnapshot(Connection connection) throws SQLException {
        execute(connection, "BEGIN");
        // The moment is that of the first read.
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(LAST_REVISION)) {
            rows.next();
        }
    }

    /** The file is in UTF-8, so the bytes need no conversion. */
    @Override
    public byte[] utf8(ResultSet rows, int column) throws SQLException {
        byte[] bytes = rows.getBytes(column);
        return bytes == null ? new byte[0] : bytes;
    }

    @Override
    public String bytesOf(String column) {
        return "OCTET_LENGTH(" + column + ")";
    }

    @Override
    public String nowMillis() {
        return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
    }

    @Override
    public long lockRevision(Connection connection) throws SQLException {
        // BEGIN IMMEDIATE holds the only write lock already.
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(LAST_REVISION)) {
            return revision(rows);
        }
    }

    @Override
    public long lockRevision(WriteConnection writer) throws SQLException {
        try (ResultSet rows = writer.prepared(LAST_REVISION).executeQuery()) {
            return revision(rows);
        }
    }

    private static long revision(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
        }
        return rows.getLong(1);
    }

    /**
     * SQLite copies each page that an {@code INSERT … SELECT} changes, to undo its rows before a refused one. With {@code OR FAIL}
     * it does not. A failed statement undoes the whole transaction here anyway.
     */
    @Override
    public String insertOfOneRow() {
        return "INSERT OR FAIL";
    }

    @Override
    public boolean sharesInsertedContent() {
        return true;
    }

    /** LOWER knows a to z only; GLOB with both cases knows all letters, and takes several times as long. */
    @Override
    public Match matching(String column, String pattern) {
        if (pattern.chars().allMatch(sign -> sign < 128)) {
            return new Match("LOWER(" + column + ") LIKE ? ESCAPE '!'", Match.like(pattern.toLowerCase(Locale.ROOT)));
        }
        StringBuilder glob = new StringBuilder();
        pattern.codePoints().forEach(sign -> {
            int small = Character.toLowerCase(sign);
            int capital = Character.toUpperCase(sign);
            if (small != capital) {
                glob.append('[').appendCodePoint(small).appendCodePoint(capital).append(']');
            } else if (sign == '?' || sign == '[') {
                glob.append('[').appendCodePoint(sign).append(']');
            } else {
                glob.appendCodePoint(sign);
            }
        });
        return new Match(column + " GLOB ?", glob.toString());
    }

    @Override
    public boolean isDuplicateKey(SQLException failure) {
        // xerial sets no SQLState; its exception has the extended result code.
        return failure instanceof SQLiteException sqlite
                && (sqlite.getResultCode() == SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE
                        || sqlite.getResultCode() == SQLiteErrorCode.SQLITE_CONSTRAINT_PRIMARYKEY);
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        return switch (primaryCode(failure)) {
            // A connection opened while the file was read-only stays so.
            case SQLITE_IOERR,
                    SQLITE_CANTOPEN,
                    SQLITE_CORRUPT,
                    SQLITE_NOTADB,
                    SQLITE_FULL,
                    SQLITE_READONLY,
                    SQLITE_MISUSE -> true;
            default -> false;
        };
    }

    @Override
    public boolean isDamage(SQLException failure) {
        return switch (primaryCode(failure)) {
            case SQLITE_CORRUPT, SQLITE_NOTADB -> true;
            case SQLITE_IOERR ->
                failure instanceof SQLiteException sqlite
                        && switch (sqlite.getResultCode()) {
                            case SQLITE_IOERR_READ,
                                    SQLITE_IOERR_SHORT_READ,
                                    SQLITE_IOERR_DATA,
                                    SQLITE_IOERR_CORRUPTFS -> true;
                            default -> false;
                        };
            default -> false;
        };
    }

    @Override
    public boolean refusesWrites(SQLException failure) {
        return switch (primaryCode(failure)) {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOMEM -> true;
            default -> isConnectionFailure(failure);
        };
    }

    /** In two transactions: rows that one adds and removes never reach the disk. */
    @Override
    public void tryToWrite(Connection connection, int bytes) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            begin(connection);
            statement.executeUpdate(WriteProbe.DELETE);
            statement.executeUpdate(WriteProbe.INSERT + "zeroblob(" + bytes + "))");
            commit(connection);
            begin(connection);
            statement.executeUpdate(WriteProbe.DELETE);
            commit(connection);
        }
    }

    @Override
    public String explain(SQLException failure) {
        return switch (primaryCode(failure)) {
            case SQLITE_FULL -> "the disk of the data folder is full: free some space";
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH ->
                "the data folder is read-only: make it writable for this user";
            case SQLITE_IOERR ->
                "reading or writing the data folder failed (" + failure.getMessage() + "): look at the disk";
            case SQLITE_CORRUPT, SQLITE_NOTADB ->
                "the database file is damaged (" + failure.getMessage() + "): restore it from a backup";
            case SQLITE_BUSY -> "another process holds the database file: stop it";
            default -> String.valueOf(failure.getMessage());
        };
    }

    private static SQLiteErrorCode primaryCode(SQLException failure) {
        if (!(failure instanceof SQLiteException sqlite)) {
            return SQLiteErrorCode.UNKNOWN_ERROR;
        }
        // The low byte of an extended code is the primary one.
        return SQLiteErrorCode.getErrorCode(sqlite.getResultCode().code & 0xff);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
