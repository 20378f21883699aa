package io.cairn.server.storage.postgresql;

import io.cairn.api.config.Namespace;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.SessionLimit;
import io.cairn.server.storage.database.WriteConnection;
import io.cairn.server.storage.database.WriterSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** PostgreSQL. Each transaction sets its own limits, so that a pooler may give each one another session. */
public final class PostgreSqlDialect implements Dialect {

    private static final int LONG_WAIT_MILLIS = 1_800_000;
    /** The longest lock of a node that stops or is cut off. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private static final int LOCK_WAIT_MILLIS = 1_000;

    private final Duration silence;
    private final String lock;
    private volatile String defaultTenant = "";
    private volatile int usualWaitMillis;
    private volatile NacosTables.Types types = new NacosTables.Types(false, Integer.MAX_VALUE);

    public PostgreSqlDialect() {
        this(SILENCE);
    }

    /** @param silence inside a transaction after which the database ends the session */
    public PostgreSqlDialect(Duration silence) {
        this.silence = silence;
        this.lock = "SET LOCAL lock_timeout = " + LOCK_WAIT_MILLIS
                + "; SET LOCAL idle_in_transaction_session_timeout = " + silence.toMillis()
                + "; SELECT value FROM cairn_revision WHERE id = 1 FOR UPDATE";
    }

    /** As in Nacos 3, instead of {@code ''}. */
    void defaultTenantIsPublic() {
        defaultTenant = Namespace.DEFAULT.id();
    }

    void types(NacosTables.Types read) {
        types = read;
    }

    @Override
    public String defaultTenant() {
        return defaultTenant;
    }

    /** The driver sends BEGIN with the next statement. */
    @Override
    public void begin(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Override
    public void rollback(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Override
    public void beginSnapshot(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            // The moment is that of the first read.
            statement.execute("SELECT value FROM cairn_revision WHERE id = 1");
        }
    }

    @Override
    public void waitLong(Connection connection, boolean isLong) throws SQLException {
        if (isLong) {
            usualWaitMillis = connection.getNetworkTimeout();
        }
        connection.setNetworkTimeout(Runnable::run, isLong ? LONG_WAIT_MILLIS : usualWaitMillis);
    }

    /** Each transaction has the limit itself. */
    @Override
    public SessionLimit limitSilence(Connection session) throws SQLException {
        PostgreSqlSessions.name(session);
        return SessionLimit.NONE;
    }

    @Override
    public void nameSession(Connection session, String node) throws SQLException {
        PostgreSqlSessions.name(session, node);
    }

    @Override
    public List<WriterSession> writerSessions(Connection session) throws SQLException {
        return PostgreSqlSessions.read(session, nowMillis(), silence.minusMillis(LOCK_WAIT_MILLIS));
    }

    @Override
    public String bytesOf(String column) {
        return "OCTET_LENGTH(" + column + ")";
    }

    @Override
    public String nowMillis() {
        return "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS bigint)";
    }

    @Override
    public void idsGiven(Connection connection, String table, String column) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT setval(pg_get_serial_sequence('" + table + "', '" + column
                    + "'), GREATEST(COALESCE(MAX(" + column + "), 0) + 1, 1), false) FROM " + table);
        }
    }

    @Override
    public String joined(String column) {
        return "STRING_AGG(" + column + ", ',')";
    }

    @Override
    public String orUpdate(String key, List<String> columns) {
        return " ON CONFLICT (" + key + ") DO UPDATE SET "
                + columns.stream().map(name -> name + " = EXCLUDED." + name).collect(Collectors.joining(", "));
    }

    @Override
    public long lockRevision(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(lock)) {
            return revision(statement);
        }
    }

    @Override
    public long lockRevision(WriteConnection writer) throws SQLException {
        return revision(writer.prepared(lock));
    }

    /** The result of the third statement. */
    private static long revision(PreparedStatement statement) throws SQLException {
        statement.execute();
        statement.getMoreResults();
        statement.getMoreResults();
        try (ResultSet rows = statement.getResultSet()) {
            if (!rows.next()) {
                throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
            }
            return rows.getLong(1);
        }
    }

    /** Independent of the database's collation, whose LOWER may know a to z only. */
    @Override
    public Match matching(String column, String pattern) {
        if (pattern.chars().allMatch(sign -> sign < 128)) {
            return new Match(
                    "LOWER(" + column + " COLLATE \"C\") LIKE ? ESCAPE '!'",
                    Match.like(pattern.toLowerCase(Locale.ROOT)));
        }
        StringBuilder regex = new StringBuilder("^");
        pattern.codePoints().forEach(sign -> {
            int small = Character.toLowerCase(sign);
            int capital = Character.toUpperCase(sign);
            if (sign == '*') {
                regex.append(".*");
            } else if (small != capital) {
                regex.append('[')
                        .appendCodePoint(small)
                        .appendCodePoint(capital)
                        .append(']');
            } else if (sign < 128 && !Character.isLetterOrDigit(sign)) {
                regex.append('\\').appendCodePoint(sign);
            } else {
                regex.appendCodePoint(sign);
            }
        });
        return new Match(column + " ~ ?", regex.append('$').toString());
    }

    @Override
    public boolean isDuplicateKey(SQLException failure) {
        return PostgreSqlErrors.isDuplicateKey(failure);
    }

    @Override
    public boolean isLockedOut(SQLException failure) {
        return PostgreSqlErrors.isLockedOut(failure);
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        return PostgreSqlErrors.isConnectionFailure(failure);
    }

    @Override
    public boolean refusesWrites(SQLException failure) {
        return PostgreSqlErrors.refusesWrites(failure);
    }

    @Override
    public boolean isWrongSetting(SQLException failure) {
        return PostgreSqlErrors.isWrongSetting(failure);
    }

    @Override
    public boolean isBadValue(SQLException failure) {
        return PostgreSqlErrors.isBadValue(failure);
    }

    @Override
    public String explain(SQLException failure) {
        return PostgreSqlErrors.explain(failure);
    }

    @Override
    public boolean hasRowLocks() {
        return true;
    }

    @Override
    public boolean gathersPublishes() {
        return true;
    }

    /** A {@code text} has no character NUL. Nacos's column has no room for some addresses; the audit log has each. */
    @Override
    public String storedText(String column, String text) throws SQLException {
        int at = text.indexOf('\0');
        if (at >= 0) {
            throw new SQLException(
                    column + " has the character NUL at position " + at + ", which PostgreSQL cannot store: remove it",
                    PostgreSqlErrors.UNTRANSLATABLE);
        }
        return column.equals("src_ip") && text.length() > types.addressWidth() ? "" : text;
    }

    @Override
    public void bindNamespaceTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        if (types.namespaceTimesAreTimestamps()) {
            bindTime(statement, index, epochMillis);
        } else {
            statement.setLong(index, epochMillis);
        }
    }

    @Override
    public long namespaceTime(ResultSet rows, int column) throws SQLException {
        return types.namespaceTimesAreTimestamps() ? time(rows, column) : rows.getLong(column);
    }

    @Override
    public void bindTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        statement.setTimestamp(index, new Timestamp(epochMillis));
    }

    @Override
    public long time(ResultSet rows, int column) throws SQLException {
        Timestamp time = rows.getTimestamp(column);
        return time == null ? 0 : time.getTime();
    }

    /** The connection's encoding is UTF-8, so the bytes need no conversion. */
    @Override
    public byte[] utf8(ResultSet rows, int column) throws SQLException {
        byte[] bytes = rows.getBytes(column);
        return bytes == null ? new byte[0] : bytes;
    }
}
