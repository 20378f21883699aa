package io.cairn.server.storage.database;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

public interface Dialect {

    /** Begins a transaction that excludes other writers. */
    void begin(Connection connection) throws SQLException;

    /** As {@link #begin(Connection)}, with the writer's kept statements. */
    default void begin(WriteConnection writer) throws SQLException {
        begin(writer.jdbc());
    }

    void commit(Connection connection) throws SQLException;

    /** As {@link #commit(Connection)}, for the writer's connection. */
    default void commit(WriteConnection writer) throws SQLException {
        commit(writer.jdbc());
    }

    /** No effect without a transaction. */
    void rollback(Connection connection) throws SQLException;

    /** Begins a read of one moment, until {@link #rollback}. */
    void beginSnapshot(Connection connection) throws SQLException;

    default void streamRows(Statement statement) throws SQLException {
        statement.setFetchSize(100);
    }

    /** Removes or restores the time limit of the connection's statements. */
    default void waitLong(Connection connection, boolean isLong) throws SQLException {
        // It waits only for the disk.
    }

    /** The beginning of an {@code INSERT … SELECT} of at most one row. */
    default String insertOfOneRow() {
        return "INSERT";
    }

    /** The table of writes; reads use {@code his_config_info}. */
    default String historyTable() {
        return sharesInsertedContent() ? TableNames.SHARING_HISTORY : TableNames.HISTORY;
    }

    /** Whether a part of the database file is damaged or unreadable; others may be intact. */
    default boolean isDamage(SQLException failure) {
        return false;
    }

    /** Whether the history of an insert shares the configuration's content. */
    default boolean sharesInsertedContent() {
        return false;
    }

    /**
     * Makes the database end this session, with its transaction, when the client is silent for some seconds inside a transaction,
     * so that a stopped or cut off node holds no lock.
     *
     * @return how long the session lasts outside a transaction
     */
    default SessionLimit limitSilence(Connection session) throws SQLException {
        // A file lock ends with the process.
        return SessionLimit.NONE;
    }

    /** Names the session as this node's writer, for other nodes. */
    default void nameSession(Connection session, String node) throws SQLException {
        // No other node uses the file.
    }

    /** The named sessions of the nodes' writers. On a connection without a transaction. */
    default List<WriterSession> writerSessions(Connection session) throws SQLException {
        return List.of();
    }

    /** The length of a text column in bytes, without reading the text where the database knows it. */
    default String bytesOf(String column) {
        return "LENGTH(" + column + ")";
    }

    /** Makes the database assign higher numbers than a table has, after an insert of rows with numbers. */
    default void idsGiven(Connection connection, String table, String column) throws SQLException {
        // Most take note of each insert.
    }

    /** The values of a column in one text, with commas. */
    default String joined(String column) {
        return "GROUP_CONCAT(" + column + ")";
    }

    /** The end of an INSERT that updates these columns of rows with a present key. */
    default String orUpdate(String key, List<String> columns) {
        throw new UnsupportedOperationException("rows are updated singly");
    }

    /**
     * A text as its column holds it.
     *
     * @throws SQLException with the column of a text that the database cannot hold
     */
    default String storedText(String column, String text) throws SQLException {
        return text;
    }

    /** The database's clock in epoch milliseconds. */
    String nowMillis();

    /** Excludes other nodes' writers until the end of the transaction; returns the last revision. */
    long lockRevision(Connection connection) throws SQLException;

    /** As {@link #lockRevision(Connection)}, for the writer's connection. */
    default long lockRevision(WriteConnection writer) throws SQLException {
        return lockRevision(writer.jdbc());
    }

    /** Compares a column with a parameter letter by letter, also in a table of Nacos that ignores case. */
    default String exactly(String column) {
        return column + " = ?";
    }

    /**
     * Compares a column with a pattern with {@code *} for any characters, without case. Reads each row left by other conditions.
     */
    Match matching(String column, String pattern);

    record Match(String condition, String parameter) {

        /** For LIKE, with {@code !} before literal signs. */
        public static String like(String pattern) {
            return pattern.replace("!", "!!")
                    .replace("%", "!%")
                    .replace("_", "!_")
                    .replace('*', '%');
        }
    }

    boolean isDuplicateKey(SQLException failure);

    /** Whether another transaction was in the way, so a retry may succeed. */
    default boolean isLockedOut(SQLException failure) {
        return false;
    }

    /** Whether the connection is at fault and must be opened again. */
    boolean isConnectionFailure(SQLException failure);

    /**
     * Whether the whole database refuses writes at the moment: its disk is full, it is read-only, a lock or quota stops it. False
     * for a fault of one command.
     */
    boolean refusesWrites(SQLException failure);

    /**
     * Writes that many bytes durably and removes them, as a probe. On a connection without a transaction; on a failure one stays
     * open.
     */
    default void tryToWrite(Connection connection, int bytes) throws SQLException {
        begin(connection);
        lockRevision(connection);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(WriteProbe.INSERT + "'')");
            statement.executeUpdate(WriteProbe.DELETE);
        }
        commit(connection);
    }

    /** The cause in a few words, with a known remedy. */
    String explain(SQLException failure);

    /** Whether a setting is at fault, such as a wrong password, so a retry is useless. */
    default boolean isWrongSetting(SQLException failure) {
        return false;
    }

    /** Whether the value is at fault, so the caller must change it. */
    default boolean isBadValue(SQLException failure) {
        return false;
    }

    /** Whether {@code =} compares case in every table, of other programs, too. */
    default boolean isCaseSensitive() {
        return true;
    }

    /** Whether a read locks rows against other programs; else no other can write meanwhile. */
    default boolean hasRowLocks() {
        return false;
    }

    /** Whether publishes of a group are kept back and written by statements for many rows. */
    default boolean gathersPublishes() {
        return false;
    }

    /** For a {@code gmt_} column of Nacos, except the numbers of {@code tenant_info}. */
    default void bindTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        statement.setLong(index, epochMillis);
    }

    /** For a time of {@code tenant_info}, mostly a number. */
    default void bindNamespaceTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        statement.setLong(index, epochMillis);
    }

    default long namespaceTime(ResultSet rows, int column) throws SQLException {
        return RowRules.clamped(rows, column);
    }

    /** 0 for null, or a time that does not exist. */
    default long time(ResultSet rows, int column) throws SQLException {
        return rows.getLong(column);
    }

    default byte[] utf8(ResultSet rows, int column) throws SQLException {
        String text = rows.getString(column);
        return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    }

    /** A time as stored, perhaps less exact. */
    default long storedTime(long epochMillis) {
        return epochMillis;
    }

    default String defaultTenant() {
        return "";
    }

    /** Whether it is the unused form of the default namespace. Nacos 3 keeps such rows for older servers, so they are skipped. */
    default boolean isOtherDefault(@Nullable String tenant) {
        return (defaultTenant().isEmpty() ? Namespace.DEFAULT.id() : "").equals(tenant);
    }

    default String tenant(Namespace namespace) {
        return namespace.isDefault() ? defaultTenant() : namespace.id();
    }

    default int bindKey(PreparedStatement statement, int from, ConfigKey key) throws SQLException {
        statement.setString(from, key.dataId());
        statement.setString(from + 1, key.group());
        statement.setString(from + 2, tenant(key.namespace()));
        return from + 3;
    }
}
