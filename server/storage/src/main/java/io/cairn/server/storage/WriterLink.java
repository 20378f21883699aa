package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of the writer, which is opened again when it was lost: at most every {@link #RETRY_MILLIS} ms while the database is away.
 * Where it is uncertain what is stored, a new connection begins with comparing memory with the store. Used by the writer's thread alone,
 * except {@link #reconnections}.
 */
final class WriterLink {

    static final long RETRY_MILLIS = 500;
    private static final Logger log = LoggerFactory.getLogger(StoreWriter.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Circuit circuit;
    private final AppliedRevision applied;
    private final Runnable onUncertainty;
    private final AtomicInteger connections = new AtomicInteger();
    private @Nullable WriteConnection connection;
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

    /** Opens the first connection. */
    void open() throws SQLException {
        connection = new WriteConnection(source.open());
    }

    boolean isConnected() {
        return connection != null;
    }

    /** How many connections were opened after the first. */
    int reconnections() {
        return connections.get();
    }

    /** Memory may differ from the store: it is compared before the next use of a new connection. */
    void uncertain() {
        uncertain = true;
    }

    boolean isUncertain() {
        return uncertain;
    }

    /**
     * The connection, a new one where there is none.
     *
     * @throws CairnException {@code UNAVAILABLE} when the database cannot be reached; the circuit is open then
     */
    WriteConnection connected() {
        WriteConnection present = connection;
        if (present != null) {
            return present;
        }
        CairnException away = circuit.cause();
        if (away != null && System.nanoTime() - retryAtNanos < 0) {
            throw away;
        }
        WriteConnection opened = null;
        try {
            opened = new WriteConnection(source.open());
            if (uncertain) {
                onUncertainty.run();
                uncertain = false;
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

    /** Opens a connection in the place of the present one, if it is time to try and that succeeds; null when not. */
    @Nullable
    WriteConnection reopen() {
        // Another part found the database away: this connection is not used until a new one is open.
        disconnect();
        try {
            return connected();
        } catch (CairnException e) {
            log.debug("Still {}", e.text());
        } catch (Error e) {
            // The writer's thread must go on, or no write would ever be answered again.
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

    /** Undoes the transaction of the connection; where that fails, the connection is given up. */
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
