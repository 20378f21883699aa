package io.cairn.server.storage.writer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.WriteConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The transaction of a group of commands; for the writer's thread. */
public final class WriteTransaction {

    private static final long READING = -1;

    private final WriteConnection connection;
    private final Dialect dialect;
    private final long batch;
    private final long nowMillis;
    private final @Nullable String node;
    private final long firstRevision;
    private @Nullable KeptBackWrites keptBack;
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

    /** Reads without a transaction and revisions. */
    static WriteTransaction reading(WriteConnection connection, Dialect dialect, long nowMillis) {
        return new WriteTransaction(connection, dialect, 0, READING, nowMillis, null);
    }

    /** A transaction has one kind, created at the first call. */
    public <K extends KeptBackWrites> K keptBack(Class<K> kind, Function<WriteConnection, K> made) {
        KeptBackWrites known = keptBack;
        if (known == null) {
            known = made.apply(connection);
            keptBack = known;
        }
        return kind.cast(known);
    }

    /** Writes the publishes kept back. */
    void settle() throws SQLException {
        if (keptBack != null) {
            keptBack.settle();
        }
    }

    /**
     * A statement prepared once for the connection; earlier parameters are overwritten. Writes publishes kept back first, so
     * execute it before the next publish.
     */
    public PreparedStatement prepared(String sql) throws SQLException {
        settle();
        return connection.prepared(sql);
    }

    public <R> void insert(RowInsert<R> insert, R row) throws SQLException {
        settle();
        insert.execute(connection, this, List.of(row));
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Binds data_id, group_id and tenant_id; returns the next index. */
    public int bindKey(PreparedStatement statement, int from, ConfigKey key) throws SQLException {
        return dialect.bindKey(statement, from, key);
    }

    /** For a {@code gmt_} column of Nacos. */
    public void bindNow(PreparedStatement statement, int index) throws SQLException {
        dialect.bindTime(statement, index, storedMillis());
    }

    public Connection jdbc() throws SQLException {
        settle();
        return connection.jdbc();
    }

    /** This transaction holds the lock of revisions. */
    public long nextRevision() {
        if (firstRevision == READING) {
            throw new IllegalStateException("a command that only reads has asked for a revision");
        }
        return ++revision;
    }

    long revisionsTaken() {
        return revision - firstRevision;
    }

    /** The last revision before this transaction. */
    long firstRevision() {
        return firstRevision;
    }

    long lastRevision() {
        return revision;
    }

    /** The random number of this group commit. */
    public long batch() {
        return batch;
    }

    /** For all rows of the transaction, in epoch milliseconds. */
    public long nowMillis() {
        return nowMillis;
    }

    /** This node's address; null on a single server. */
    public @Nullable String node() {
        return node;
    }

    /** For a {@code gmt_} column of Nacos. */
    public void bindTime(PreparedStatement statement, int index, long epochMillis) throws SQLException {
        dialect.bindTime(statement, index, epochMillis);
    }

    /** The transaction's time as stored, on some databases in seconds. */
    public long storedMillis() {
        return dialect.storedTime(nowMillis);
    }

    /** The namespace in Nacos's tables. */
    public String tenant(Namespace namespace) {
        return dialect.tenant(namespace);
    }
}
