package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The transaction that a group of commands shares; used by the writer's thread alone. */
final class WriteTransaction {

    private final WriteConnection connection;
    private final Dialect dialect;
    private final long batch;
    private final long nowMillis;
    private final long firstRevision;
    private final @Nullable PublishBatch gathered;
    private long revision;

    WriteTransaction(WriteConnection connection, Dialect dialect, long batch, long lastRevision, long nowMillis) {
        this.connection = connection;
        this.dialect = dialect;
        this.batch = batch;
        this.nowMillis = nowMillis;
        this.firstRevision = lastRevision;
        this.revision = lastRevision;
        this.gathered = dialect.gathersPublishes() ? new PublishBatch(connection, this) : null;
    }

    /** Where publishes are kept back to be written together; null where each is written by itself. */
    @Nullable
    PublishBatch gathered() {
        return gathered;
    }

    /** Writes what was kept back. */
    void settle() throws SQLException {
        if (gathered != null) {
            gathered.settle();
        }
    }

    /**
     * A statement prepared once for the connection's life; parameters of an earlier use are overwritten. What was kept
     * back is written first, so the statement is to be executed before another publish is gathered.
     */
    PreparedStatement prepared(String sql) throws SQLException {
        settle();
        return connection.prepared(sql);
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
        return ++revision;
    }

    /** The number of revisions taken so far. */
    long revisionsTaken() {
        return revision - firstRevision;
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

    /** Binds a time to a {@code gmt_} column of a table of Nacos. */
    void bindTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        dialect.bindTime(statement, index, epochMillis);
    }

    /** That time as the tables of Nacos keep it, which on some databases is to the second. */
    long storedMillis() {
        return dialect.storedTime(nowMillis);
    }

    /** How the namespace is spelled in the tables of Nacos. */
    String tenant(Namespace namespace) {
        return dialect.tenant(namespace);
    }
}
