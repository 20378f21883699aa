package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The transaction that a group of commands shares; used by the writer's thread alone. */
final class WriteTransaction {

    private static final long READING = -1;

    private final WriteConnection connection;
    private final Dialect dialect;
    private final long batch;
    private final long nowMillis;
    private final @Nullable String node;
    private final long firstRevision;
    private @Nullable PublishBatch publishes;
    private long revision;

    WriteTransaction(
            WriteConnection connection,
            Dialect dialect,
            long batch,
            long lastRevision,
            long nowMillis,
            @Nullable String node) {
        this.node = node;
        this.connection = connection;
        this.dialect = dialect;
        this.batch = batch;
        this.nowMillis = nowMillis;
        this.firstRevision = lastRevision;
        this.revision = lastRevision;
    }

    /** Reads without a transaction; takes no revisions. */
    static WriteTransaction reading(WriteConnection connection, Dialect dialect, long nowMillis) {
        return new WriteTransaction(connection, dialect, 0, READING, nowMillis, null);
    }

    /** The publishes of this transaction. */
    PublishBatch publishes() {
        if (publishes == null) {
            publishes = new PublishBatch(connection, this);
        }
        return publishes;
    }

    /** Writes the publishes that are kept back. */
    void settle() throws SQLException {
        if (publishes != null) {
            publishes.settle();
        }
    }

    /**
     * A statement prepared once for the connection's life; parameters of an earlier use are overwritten. Publishes that
     * are kept back are written first, so the statement is to be executed before the next publish.
     */
    PreparedStatement prepared(String sql) throws SQLException {
        settle();
        return connection.prepared(sql);
    }

    /** Inserts one row. */
    <R> void insert(RowInsert<R> insert, R row) throws SQLException {
        settle();
        insert.execute(connection, this, List.of(row));
    }

    Dialect dialect() {
        return dialect;
    }

    /** Binds data_id, group_id and tenant_id from that index on, and returns the next free one. */
    int bindKey(PreparedStatement statement, int from, ConfigKey key) throws SQLException {
        return dialect.bindKey(statement, from, key);
    }

    /** Binds the transaction's time to a {@code gmt_} column of a table of Nacos. */
    void bindNow(PreparedStatement statement, int index) throws SQLException {
        dialect.bindTime(statement, index, storedMillis());
    }

    Connection jdbc() throws SQLException {
        settle();
        return connection.jdbc();
    }

    /** Takes the next revision; the row that holds them is locked by this transaction. */
    long nextRevision() {
        if (firstRevision == READING) {
            throw new IllegalStateException("a command that only reads has asked for a revision");
        }
        return ++revision;
    }

    /** The number of revisions taken so far. */
    long revisionsTaken() {
        return revision - firstRevision;
    }

    /** The last revision that was given out before this transaction. */
    long firstRevision() {
        return firstRevision;
    }

    long lastRevision() {
        return revision;
    }

    /** The number drawn for this group commit. */
    long batch() {
        return batch;
    }

    /** One time for all rows of the transaction, in epoch milliseconds. */
    long nowMillis() {
        return nowMillis;
    }

    /** The address of this node in its cluster; null for a server that is alone. */
    @Nullable
    String node() {
        return node;
    }

    /** Binds a time to a {@code gmt_} column of a table of Nacos. */
    void bindTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        dialect.bindTime(statement, index, epochMillis);
    }

    /** The transaction's time as the tables of Nacos keep it, which on some databases is to the second. */
    long storedMillis() {
        return dialect.storedTime(nowMillis);
    }

    /** How the namespace is spelled in the tables of Nacos. */
    String tenant(Namespace namespace) {
        return dialect.tenant(namespace);
    }
}
