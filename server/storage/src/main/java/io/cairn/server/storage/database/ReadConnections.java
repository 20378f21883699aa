package io.cairn.server.storage.database;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reading connections, kept for the next reader; as many as concurrent readers. */
public final class ReadConnections implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReadConnections.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final boolean keep;
    private final @Nullable Circuit circuit;
    private final @Nullable ReadConnections mirror;
    private final LeftOutRows leftOut;
    private final StoreDamage damage;
    private final ConcurrentLinkedQueue<KeptStatements> idle = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    public ReadConnections(ConnectionSource source, Dialect dialect) {
        this(source, dialect, true);
    }

    /** @param keep whether to keep connections; false for a source with its own pool */
    public ReadConnections(ConnectionSource source, Dialect dialect, boolean keep) {
        this(source, dialect, keep, null, null, new LeftOutRows(), StoreDamage.unnamed());
    }

    /**
     * @param circuit refuses readers at once while open
     * @param mirror for readers that {@linkplain #withMirror accept it}
     * @param leftOut notes skipped rows
     * @param damage notes unreadable parts
     */
    public ReadConnections(
            ConnectionSource source,
            Dialect dialect,
            boolean keep,
            @Nullable Circuit circuit,
            @Nullable ReadConnections mirror,
            LeftOutRows leftOut,
            StoreDamage damage) {
        this.source = source;
        this.dialect = dialect;
        this.keep = keep;
        this.circuit = circuit;
        this.mirror = mirror;
        this.leftOut = leftOut;
        this.damage = damage;
    }

    public Dialect dialect() {
        return dialect;
    }

    public LeftOutRows leftOut() {
        return leftOut;
    }

    public StoreDamage damage() {
        return damage;
    }

    @FunctionalInterface
    public interface Work<R extends @Nullable Object> {
        R run(Connection connection) throws SQLException;
    }

    /** Work with statements prepared once, where connections are kept. */
    @FunctionalInterface
    public interface PreparedWork<R extends @Nullable Object> {
        R run(KeptStatements statements) throws SQLException;
    }

    /**
     * Runs the work on its own connection. Blocks.
     *
     * @param purpose for the error text
     * @throws CairnException {@code UNAVAILABLE} when the database fails
     */
    public <R extends @Nullable Object> R with(String purpose, Work<R> work) {
        return withStatements(purpose, statements -> work.run(statements.jdbc()));
    }

    /** As {@link #with}, for frequent work. */
    public <R extends @Nullable Object> R withStatements(String purpose, PreparedWork<R> work) {
        CairnException away = circuit == null ? null : circuit.cause();
        if (away != null) {
            throw new CairnException(ErrorCode.UNAVAILABLE, away.text(), away.getCause());
        }
        KeptStatements connection = idle.poll();
        try {
            if (connection == null) {
                connection = new KeptStatements(source.open());
            }
            R result = work.run(connection);
            release(connection);
            return result;
        } catch (SQLException e) {
            discard(connection);
            damage.note(dialect, e);
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The database failed while " + purpose + ": " + dialect.explain(e), e);
        } catch (RuntimeException e) {
            discard(connection);
            throw e;
        }
    }

    /** As {@link #with}, with all statements at one moment. */
    public <R extends @Nullable Object> R snapshot(String purpose, Work<R> work) {
        return with(purpose, connection -> {
            dialect.beginSnapshot(connection);
            try {
                R result = work.run(connection);
                dialect.rollback(connection);
                return result;
            } catch (SQLException | RuntimeException e) {
                // A pool would reuse the connection with the transaction open.
                try {
                    dialect.rollback(connection);
                } catch (SQLException again) {
                    e.addSuppressed(again);
                }
                throw e;
            }
        });
    }

    /**
     * As {@link #with}, from the mirror while the database is away: for statements that both understand, on tables that the mirror
     * holds.
     */
    public <R extends @Nullable Object> R withMirror(String purpose, Work<R> work) {
        if (mirror == null || circuit == null) {
            return with(purpose, work);
        }
        if (circuit.cause() != null) {
            return mirror.with(purpose, work);
        }
        try {
            return with(purpose, work);
        } catch (CairnException e) {
            if (e.getCause() instanceof SQLException failure && dialect.isConnectionFailure(failure)) {
                return mirror.with(purpose, work);
            }
            throw e;
        }
    }

    private void release(KeptStatements connection) {
        if (!keep) {
            discard(connection);
            return;
        }
        idle.add(connection);
        if (closed) {
            close();
        }
    }

    private static void discard(@Nullable KeptStatements connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                log.debug("Closing a connection failed", e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        for (KeptStatements connection = idle.poll(); connection != null; connection = idle.poll()) {
            discard(connection);
        }
    }
}
