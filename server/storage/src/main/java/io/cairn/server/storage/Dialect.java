package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** The differences between the databases, as far as one text of SQL cannot serve all. */
public interface Dialect {

    /** Starts a transaction that no other writer can run beside. */
    void begin(Connection connection) throws SQLException;

    /** As {@link #begin(Connection)}, for the connection of the writer, which keeps its statements. */
    default void begin(WriteConnection writer) throws SQLException {
        begin(writer.jdbc());
    }

    /** Makes it durable. */
    void commit(Connection connection) throws SQLException;

    /** As {@link #commit(Connection)}, for the connection of the writer. */
    default void commit(WriteConnection writer) throws SQLException {
        commit(writer.jdbc());
    }

    /** Undoes it; does nothing when there is none. */
    void rollback(Connection connection) throws SQLException;

    /** Starts a transaction that reads and sees one moment; {@link #rollback} ends it. */
    void beginSnapshot(Connection connection) throws SQLException;

    /** Has the rows of the next query come one by one instead of all at once. */
    default void streamRows(Statement statement) throws SQLException {
        statement.setFetchSize(100);
    }

    /** Has statements of that connection take as long as they need, until told otherwise. */
    default void waitLong(Connection connection, boolean isLong) throws SQLException {
        // It waits for nothing but the disk.
    }

    /** The first words of an {@code INSERT … SELECT} that inserts one row at most. */
    default String insertOfOneRow() {
        return "INSERT";
    }

    /** The table that the rows of the history are written to; they are read from {@code his_config_info}. */
    default String historyTable() {
        return sharesInsertedContent() ? HistoryRow.SHARING_TABLE : HistoryRow.TABLE;
    }

    /** Whether the history of an insert is read with the content of the configuration, so that none is written. */
    default boolean sharesInsertedContent() {
        return false;
    }

    /** An expression for the time by the clock of the database, in epoch milliseconds. */
    String nowMillis();

    /** Locks out other nodes' writers until the transaction ends, and returns the last revision given out. */
    long lockRevision(Connection connection) throws SQLException;

    /** As {@link #lockRevision(Connection)}, for the connection of the writer. */
    default long lockRevision(WriteConnection writer) throws SQLException {
        return lockRevision(writer.jdbc());
    }

    /**
     * Compares a column with a parameter letter by letter, also where a table of Nacos was made to take {@code a} and
     * {@code A} for the same.
     */
    default String exactly(String column) {
        return column + " = ?";
    }

    /**
     * Compares a column with a pattern in which {@code *} stands for any characters, whether letters are capital or not.
     * Reads each row that the other conditions leave.
     */
    Match matching(String column, String pattern);

    /** A condition with one parameter, and the parameter. */
    record Match(String condition, String parameter) {

        /** The pattern as LIKE spells it, with {@code !} before each sign that stands for itself. */
        static String like(String pattern) {
            return pattern.replace("!", "!!")
                    .replace("%", "!%")
                    .replace("_", "!_")
                    .replace('*', '%');
        }
    }

    /** Whether a unique key refused the row. */
    boolean isDuplicateKey(SQLException failure);

    /** Whether the connection, not the statement, is at fault, so that it must be opened anew. */
    boolean isConnectionFailure(SQLException failure);

    /**
     * Whether the database as a whole refuses writes or cannot make them at the moment, so that other writes would fare
     * no better: its disk is full, it is read-only, a lock or a quota stops it. False where one command is to blame.
     */
    boolean refusesWrites(SQLException failure);

    /**
     * Writes about so many bytes durably and removes them again, to find out whether the database stores writes. On a
     * connection without a transaction; one is left open when this throws.
     */
    default void tryToWrite(Connection connection, int bytes) throws SQLException {
        begin(connection);
        lockRevision(connection);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(ChangeRow.INSERT_PROBE + "'')");
            statement.executeUpdate(ChangeRow.DELETE_PROBE);
        }
        commit(connection);
    }

    /** The failure's cause in a few words, with what to do about it where that is known. */
    String explain(SQLException failure);

    /** Whether a setting is at fault, such as a wrong password, so that trying again is of no use. */
    default boolean isWrongSetting(SQLException failure) {
        return false;
    }

    /** Whether what was to be stored is at fault, so that the caller must change it. */
    default boolean isBadValue(SQLException failure) {
        return false;
    }

    /** Whether {@code =} tells upper from lower case in each table, also in one that another program has made. */
    default boolean isCaseSensitive() {
        return true;
    }

    /** Whether a read locks the rows that it is to protect from other programs; else no other program can write meanwhile. */
    default boolean hasRowLocks() {
        return false;
    }

    /** Whether publishes of a group are kept back and written by statements for many rows. */
    default boolean gathersPublishes() {
        return false;
    }

    /** Binds a time to a {@code gmt_} column of a table of Nacos, except those of {@code tenant_info}, which are numbers. */
    default void bindTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        statement.setLong(index, epochMillis);
    }

    /** Reads such a column; 0 where it holds nothing. */
    default long time(ResultSet rows, int column) throws SQLException {
        return rows.getLong(column);
    }

    /** A text in UTF-8; empty where there is none. */
    default byte[] utf8(ResultSet rows, int column) throws SQLException {
        String text = rows.getString(column);
        return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    }

    /** A time as such a column keeps it, which may be less exact. */
    default long storedTime(long epochMillis) {
        return epochMillis;
    }

    /** How the default namespace is spelled in the tables of Nacos. */
    default String defaultTenant() {
        return "";
    }

    /**
     * Whether that is the spelling of the default namespace that this database does not use. Where rows of both are
     * found, Nacos 3 keeps the other one for servers before it, so its rows are passed over.
     */
    default boolean isOtherDefault(@Nullable String tenant) {
        return (defaultTenant().isEmpty() ? Namespace.DEFAULT.id() : "").equals(tenant);
    }

    /** How the namespace is spelled in the tables of Nacos. */
    default String tenant(Namespace namespace) {
        return namespace.isDefault() ? defaultTenant() : namespace.id();
    }

    /** Binds data_id, group_id and tenant_id from that index on, and returns the next free one. */
    default int bindKey(PreparedStatement statement, int from, ConfigKey key) throws SQLException {
        statement.setString(from, key.dataId());
        statement.setString(from + 1, key.group());
        statement.setString(from + 2, tenant(key.namespace()));
        return from + 3;
    }
}
