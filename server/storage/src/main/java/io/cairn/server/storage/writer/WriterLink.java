package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.WriteConnection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer's connection, reopened after a loss: at most every {@link #RETRY_MILLIS} ms while the database is away. After an
 * uncertain commit a new connection begins with a comparison of memory and store. The database ends its session when this node is
 * silent inside a transaction. For the writer's thread or its turn, except {@link #reconnections}.
 */
final class WriterLink {

    static final long RETRY_MILLIS = 500;
    private static final Logger log = LoggerFactory.getLogger(WriterLink.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Circuit circuit;
    private final AppliedRevision applied;
    private final Runnable onUncertainty;
    private final AtomicInteger connections = new AtomicInteger();
    private @Nullable WriteConnection connection;
    private volatile @Nullable String node;
    private long retryAtNanos = System.nanoTime();
    private boolean uncertain;

    /** @param onUncertainty compares memory with the store */
    WriterLink(
            ConnectionSource source,
            Dialect dialect,
            Circuit circuit,
            AppliedRevision applied,
            Runnable onUncertainty) {
        this.source = source;
        this.dialect = dialect;
        this.circuit = circuit;
        this.applied = applied;
        this.onUncertainty = onUncertainty;
    }

    /** Names later sessions after this node. */
    void named(String address) {
        node = address;
    }

    /** Opens the first connection. */
    void open() throws SQLException {
        connection = opened();
    }

    private WriteConnection opened() throws SQLException {
        WriteConnection opened = new WriteConnection(source.open());
        try {
            opened.limit(dialect.limitSilence(opened.jdbc()));
            name(opened);
        } catch (SQLException | RuntimeException | Error e) {
            closeQuietly(opened);
            throw e;
        }
        return opened;
    }

    private void name(WriteConnection opened) throws SQLException {
        String name = node;
        if (name == null) {
            return;
        }
        try {
            dialect.nameSession(opened.jdbc(), name);
        } catch (SQLException e) {
            if (dialect.isConnectionFailure(e)) {
                throw e;
            }
            log.debug("The session of the writer has no name", e);
        }
    }

    /** The time until {@link #use} is due, or 0. */
    long nanosToUse() {
        return connection == null ? 0 : connection.nanosToUse();
    }

    /** Keeps an idle writer's session, and replaces an ended one. Call it when due. */
    void use() {
        WriteConnection present = connection;
        if (present == null || present.nanosToUse() != 1 || present.isAlive()) {
            return;
        }
        disconnect();
        try {
            WriteConnection opened = opened();
            if (opened.limit().isOfSameRun(present.limit())) {
                connection = opened;
            } else {
                // Another database, perhaps: the next write opens a connection for that.
                closeQuietly(opened);
            }
        } catch (SQLException e) {
            log.debug("The next write opens a connection", e);
        }
    }

    boolean isConnected() {
        return connection != null;
    }

    /** Connections after the first. */
    int reconnections() {
        return connections.get();
    }

    /** Memory may differ from the store: compare it on the next new connection. */
    void uncertain() {
        uncertain = true;
    }

    boolean isUncertain() {
        return uncertain;
    }

    /**
     * The present connection or a new one.
     *
     * @throws CairnException {@code UNAVAILABLE} without the database; the circuit is open then
     */
    WriteConnection connected() {
        WriteConnection present = connection;
        if (present != null) {
            present.used();
            return present;
        }
        CairnException away = circuit.cause();
        if (away != null && System.nanoTime() - retryAtNanos < 0) {
            throw away;
        }
        WriteConnection opened = null;
        try {
            opened = opened();
            if (uncertain) {
                onUncertainty.run();
                uncertain = false;
                if (opened.nanosToUse() > 0 && !opened.isAlive()) {
                    // The comparison took longer than an idle session lasts.
                    closeQuietly(opened);
                    opened = opened();
                }
            }
        } catch (SQLException | RuntimeException e) {
            closeQuietly(opened);
            String cause = e instanceof SQLException sql ? dialect.explain(sql) : String.valueOf(e.getMessage());
            CairnException failure =
                    new CairnException(ErrorCode.UNAVAILABLE, circuit.subject() + " cannot be written: " + cause, e);
            retryLater();
            circuit.open(failure);
            throw failure;
        } catch (Error e) {
            closeQuietly(opened);
            throw e;
        }
        connection = opened;
        connections.incrementAndGet();
        applied.reconnected();
        circuit.close();
        return opened;
    }

    /** A new connection, if a retry is due and succeeds; else null. */
    @Nullable
    WriteConnection reopen() {
        // Another part found the database away: this connection waits for a new one.
        disconnect();
        try {
            return connected();
        } catch (CairnException e) {
            log.debug("Still {}", e.text());
        } catch (Error e) {
            // The writer's thread must go on, or no write would be answered.
            retryLater();
            circuit.open(new CairnException(
                    ErrorCode.INTERNAL,
                    circuit.subject() + " cannot be written; the log of the server has the cause: " + e,
                    e));
            log.error("Comparing memory with the store failed on a defect of the server", e);
        }
        return null;
    }

    private void retryLater() {
        retryAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
    }

    /** Rolls back; after a failure drops the connection. */
    void undo(WriteConnection writer, Exception cause) {
        try {
            dialect.rollback(writer.jdbc());
        } catch (SQLException e) {
            cause.addSuppressed(e);
            disconnect();
        }
    }

    void disconnect() {
        WriteConnection present = connection;
        connection = null;
        closeQuietly(present);
    }

    private static void closeQuietly(@Nullable WriteConnection broken) {
        if (broken == null) {
            return;
        }
        try {
            broken.close();
        } catch (SQLException e) {
            log.debug("Closing a broken connection failed", e);
        }
    }
}
