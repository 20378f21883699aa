package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that only read, kept for the next reader; there are as many as threads that read at once. Thread-safe.
 */
public final class ReadConnections implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReadConnections.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final boolean keep;
    private final ConcurrentLinkedQueue<Connection> idle = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    public ReadConnections(ConnectionSource source, Dialect dialect) {
        this(source, dialect, true);
    }

    /** @param keep whether connections are kept here; else they are closed after use, for the source has its own pool */
    public ReadConnections(ConnectionSource source, Dialect dialect, boolean keep) {
        this.source = source;
        this.dialect = dialect;
        this.keep = keep;
    }

    /** How the database that is read differs from others. */
    public Dialect dialect() {
        return dialect;
    }

    /** Work with a connection. */
    @FunctionalInterface
    public interface Work<R extends @Nullable Object> {
        R run(Connection connection) throws SQLException;
    }

    /**
     * Runs the work on a connection of its own. Blocks.
     *
     * @param purpose what the work does, for the error text
     * @throws CairnException {@code UNAVAILABLE} when the database fails
     */
    public <R extends @Nullable Object> R with(String purpose, Work<R> work) {
        Connection connection = idle.poll();
        try {
            if (connection == null) {
                connection = source.open();
            }
            R result = work.run(connection);
            giveBack(connection);
            return result;
        } catch (SQLException e) {
            discard(connection);
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The database failed while " + purpose + ": " + dialect.explain(e), e);
        } catch (RuntimeException e) {
            discard(connection);
            throw e;
        }
    }

    private void giveBack(Connection connection) {
        if (!keep) {
            discard(connection);
            return;
        }
        idle.add(connection);
        if (closed) {
            close();
        }
    }

    private static void discard(@Nullable Connection connection) {
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
        for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
            discard(connection);
        }
    }
}
