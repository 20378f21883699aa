package io.cairn.server.storage.mysql;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.exceptions.CJCommunicationsException;
import io.cairn.api.config.Namespace;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LockHeldException;
import io.cairn.server.storage.database.SessionLimit;
import io.cairn.server.storage.database.WriterSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** MySQL 5.7 and newer, and MariaDB. */
public final class MySqlDialect implements Dialect {

    private static final int LONG_WAIT_MILLIS = 1_800_000;
    private static final int DUPLICATE_KEY = 1062;
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int DEADLOCK = 1213;
    private static final int BAD_CHARACTER = 1366;
    /** As {@link #BAD_CHARACTER}, from MySQL 8 on, without the column. */
    private static final int IMPOSSIBLE_CONVERSION = 3988;

    private static final int TOO_LONG = 1406;
    private static final int ACCESS_DENIED = 1045;
    private static final int ACCESS_DENIED_TO_DATABASE = 1044;
    private static final int UNKNOWN_DATABASE = 1049;
    private static final int NO_TABLE = 1146;
    private static final int DISK_FULL = 1021;
    private static final int TABLE_FULL = 1114;
    /** Refusals of storage engine or file system; the message has the system's error number. */
    private static final Set<Integer> SYSTEM_ERRORS = Set.of(3, 1026, 1030, 1180, 1878);

    private static final Pattern NO_SPACE = Pattern.compile("(?:Errcode: |errno |error |error: )(?:28|122)\\b");
    /** The server, its engine, or this transaction is read-only. */
    private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836, 1874, 3100);
    /** Of connections, a user's statements in an hour, memory, locks. */
    private static final Set<Integer> QUOTAS = Set.of(1037, 1038, 1040, 1041, 1135, 1203, 1206, 1226);
    /** Shutdown, killed connection, read-only servers. */
    private static final Set<Integer> CONNECTION_CODES = Set.of(1053, 1290, 1836, 1874, 1927, 3032, 4031);
    /** A table that is not writable, missing or damaged. */
    private static final Set<Integer> UNUSABLE_TABLES = Set.of(1034, 1035, 1036, 1142, 1143, 1146, 1194, 1195, 1932);

    private static final Set<Integer> WRONG_SETTINGS =
            Set.of(ACCESS_DENIED, ACCESS_DENIED_TO_DATABASE, UNKNOWN_DATABASE, 1251, 1698, 1142);
    private static final Set<Integer> BAD_VALUES = Set.of(BAD_CHARACTER, IMPOSSIBLE_CONVERSION, TOO_LONG);
    private static final Pattern COLUMN = Pattern.compile("column (?:`[^`]*`\\.`([^`]*)`\\.`([^`]*)`|'([^']*)')");

    private static final Pattern ENTRY = Pattern.compile("Duplicate entry '(.*)' for key");

    private static final String NO_DISK = "the disk of the database is full: free some space";

    /** The longest lock of a node that stops or is cut off. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private final MySqlSessions sessions = new MySqlSessions();
    private final Duration silence;

    private volatile String defaultTenant = "";
    private volatile NarrowColumns narrow = NarrowColumns.NONE;
    private volatile CaselessTables caseless = CaselessTables.NONE;

    public MySqlDialect() {
        this(SILENCE);
    }

    /** @param silence inside a transaction after which the database ends the session; whole seconds */
    public MySqlDialect(Duration silence) {
        this.silence = silence;
    }

    /** As in Nacos 3, instead of {@code ''}. */
    void defaultTenantIsPublic() {
        defaultTenant = Namespace.DEFAULT.id();
    }

    void narrowColumns(NarrowColumns columns) {
        narrow = columns;
    }

    void caselessTables(CaselessTables tables) {
        caseless = tables;
    }

    CaselessTables caselessTables() {
        return caseless;
    }

    @Override
    public String defaultTenant() {
        return defaultTenant;
    }

    @Override
    public void begin(Connection connection) throws SQLException {
        execute(connection, "START TRANSACTION");
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        execute(connection, "COMMIT");
    }

    @Override
    public void rollback(Connection connection) throws SQLException {
        execute(connection, "ROLLBACK");
    }

    @Override
    public void beginSnapshot(Connection connection) throws SQLException {
        execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }

    @Override
    public void streamRows(Statement statement) throws SQLException {
        statement.setFetchSize(Integer.MIN_VALUE);
    }

    @Override
    public void waitLong(Connection connection, boolean isLong) throws SQLException {
        if (connection instanceof MysqlConnection mysql) {
            int usual = mysql.getPropertySet()
                    .getIntegerProperty(PropertyKey.socketTimeout)
                    .getInitialValue();
            connection.setNetworkTimeout(Runnable::run, isLong ? LONG_WAIT_MILLIS : usual);
        }
    }

    @Override
    public SessionLimit limitSilence(Connection session) throws SQLException {
        return sessions.limitSilence(session, silence);
    }

    @Override
    public void nameSession(Connection session, String node) throws SQLException {
        sessions.name(session, node);
    }

    @Override
    public List<WriterSession> writerSessions(Connection session) throws SQLException {
        return sessions.read(session, nowMillis());
    }

    @Override
    public String nowMillis() {
        // In UTC: the session's local time is ambiguous for an hour a year.
        return "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)";
    }

    @Override
    public String orUpdate(String key, List<String> columns) {
        return " ON DUPLICATE KEY UPDATE "
                + columns.stream().map(name -> name + " = VALUES(" + name + ")").collect(Collectors.joining(", "));
    }

    @Override
    public long lockRevision(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT value FROM cairn_revision WHERE id = 1 FOR UPDATE")) {
            if (!rows.next()) {
                throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
            }
            return rows.getLong(1);
        }
    }

    @Override
    public String exactly(String column) {
        return "CONVERT(" + column + " USING utf8mb4) COLLATE utf8mb4_bin = ?";
    }

    @Override
    public Match matching(String column, String pattern) {
        return new Match("LOWER(" + column + ") LIKE LOWER(?) ESCAPE '!'", Match.like(pattern));
    }

    @Override
    public boolean isDuplicateKey(SQLException failure) {
        return failure.getErrorCode() == DUPLICATE_KEY;
    }

    @Override
    public boolean isLockedOut(SQLException failure) {
        return failure.getErrorCode() == LOCK_WAIT_TIMEOUT || failure.getErrorCode() == DEADLOCK;
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        String state = failure.getSQLState();
        if (state != null && state.startsWith("08") || CONNECTION_CODES.contains(failure.getErrorCode())) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CJCommunicationsException || cause instanceof java.io.IOException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean refusesWrites(SQLException failure) {
        int code = failure.getErrorCode();
        return isConnectionFailure(failure)
                || isWrongSetting(failure)
                || code == LOCK_WAIT_TIMEOUT
                || code == DISK_FULL
                || code == TABLE_FULL
                || SYSTEM_ERRORS.contains(code)
                || READ_ONLY.contains(code)
                || QUOTAS.contains(code)
                || UNUSABLE_TABLES.contains(code);
    }

    @Override
    public boolean isWrongSetting(SQLException failure) {
        return WRONG_SETTINGS.contains(failure.getErrorCode());
    }

    @Override
    public String explain(SQLException failure) {
        if (failure instanceof LockHeldException held) {
            return String.valueOf(held.getMessage());
        }
        if (READ_ONLY.contains(failure.getErrorCode())) {
            return "the database is read-only (" + firstLine(failure) + ")";
        }
        if (QUOTAS.contains(failure.getErrorCode())) {
            return "a limit of the database is reached (" + firstLine(failure) + "): raise it there";
        }
        if (SYSTEM_ERRORS.contains(failure.getErrorCode())) {
            return NO_SPACE.matcher(firstLine(failure)).find()
                    ? NO_DISK
                    : "the database cannot write its files (" + firstLine(failure) + "): look at its log and its disk";
        }
        return switch (failure.getErrorCode()) {
            case ACCESS_DENIED, 1698 ->
                "the database refuses the user or the password (" + firstLine(failure)
                        + "): correct db.user and db.password";
            case ACCESS_DENIED_TO_DATABASE, 1142 -> "the user lacks a privilege (" + firstLine(failure) + "): grant it";
            case UNKNOWN_DATABASE ->
                "the database does not exist (" + firstLine(failure) + "): create it, or correct its name in db.url";
            case NO_TABLE -> "a table is missing (" + firstLine(failure) + "): restart to have it created";
            case LOCK_WAIT_TIMEOUT -> "another program holds a lock on the rows for too long";
            case DEADLOCK -> "another program wrote the same rows at the same time; try again";
            case BAD_CHARACTER, IMPOSSIBLE_CONVERSION -> badCharacter(failure);
            case DISK_FULL, TABLE_FULL -> NO_DISK;
            case DUPLICATE_KEY -> duplicate(failure);
            default ->
                isConnectionFailure(failure)
                        ? "no connection to the database (" + rootCause(failure) + ")"
                        : firstLine(failure);
        };
    }

    @Override
    public boolean isCaseSensitive() {
        return false;
    }

    @Override
    public boolean hasRowLocks() {
        return true;
    }

    @Override
    public boolean gathersPublishes() {
        return true;
    }

    @Override
    public boolean isBadValue(SQLException failure) {
        // Each writer reads exact names before an insert, so only names that differ in case escape it.
        return BAD_VALUES.contains(failure.getErrorCode()) || isDuplicateKey(failure) && !caseless.isEmpty();
    }

    private String duplicate(SQLException failure) {
        Matcher entry = ENTRY.matcher(firstLine(failure));
        return caseless.isEmpty() || !entry.find() ? firstLine(failure) : caseless.refusal(entry.group(1));
    }

    private String badCharacter(SQLException failure) {
        Matcher column = COLUMN.matcher(firstLine(failure));
        if (!column.find()) {
            return narrow.refusalOfSomeColumn();
        }
        String name = column.group(2) == null ? column.group(3) : column.group(2);
        return narrow.refusal(column.group(1), name);
    }

    private static String firstLine(Throwable failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    }

    private static String rootCause(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return firstLine(root);
    }

    @Override
    public void bindTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        statement.setTimestamp(index, new Timestamp(epochMillis));
    }

    @Override
    public long time(ResultSet rows, int column) throws SQLException {
        try {
            Timestamp time = rows.getTimestamp(column);
            return time == null ? 0 : time.getTime();
        } catch (SQLException e) {
            if (isConnectionFailure(e)) {
                throw e;
            }
            return timeThatIsNone(rows, column);
        }
    }

    /** The driver refuses a time that its zone skips in spring, and impossible days. */
    private static long timeThatIsNone(ResultSet rows, int column) throws SQLException {
        try {
            LocalDateTime local = rows.getObject(column, LocalDateTime.class);
            return local == null
                    ? 0
                    : local.atZone(ZoneId.systemDefault()).toInstant().toEpochMilli();
        } catch (DateTimeException e) {
            return 0;
        }
    }

    /** A datetime column keeps seconds, and the server would round. */
    @Override
    public long storedTime(long epochMillis) {
        return Math.floorDiv(epochMillis, 1000L) * 1000;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
