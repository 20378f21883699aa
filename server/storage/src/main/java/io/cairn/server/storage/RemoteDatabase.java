package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database that is a server of its own and may be away, at the start or later. Its schema is brought up to date before
 * anything is written. Thread-safe.
 */
public final class RemoteDatabase implements Database {

    private static final long PAUSE_MILLIS = 1_000;
    private static final Logger log = LoggerFactory.getLogger(RemoteDatabase.class);

    private final MySqlDatabase database;
    private final Circuit circuit;
    private final Mirror mirror;
    /** Set under the lock of this object, and read without it by {@link #isPrepared()}. */
    private volatile boolean prepared;

    private RemoteDatabase(MySqlDatabase database, Circuit circuit, Mirror mirror) {
        this.database = database;
        this.circuit = circuit;
        this.mirror = mirror;
    }

    /**
     * Prepares the database. Where it cannot be reached, returns at once when the mirror can serve, with the circuit
     * open; else tries again for as long as {@code patience}. Blocks.
     *
     * @throws CairnException {@code INVALID_PARAMETER} at once when a setting is at fault, such as the password;
     *     {@code UNAVAILABLE} when the database stays away
     */
    public static RemoteDatabase open(MySqlDatabase database, Circuit circuit, Mirror mirror, Duration patience) {
        RemoteDatabase remote = new RemoteDatabase(database, circuit, mirror);
        long deadline = System.nanoTime() + patience.toNanos();
        boolean isTold = false;
        while (true) {
            try {
                remote.prepare();
                return remote;
            } catch (CairnException e) {
                if (e.code() != ErrorCode.UNAVAILABLE) {
                    throw e;
                }
                if (mirror.isComplete()) {
                    circuit.open(e);
                    log.warn("Reads are served from this node's mirror of the database; writes are refused");
                    return remote;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                if (!isTold) {
                    log.warn("{}; trying again for {} s", e.text(), patience.toSeconds());
                    isTold = true;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CairnException(ErrorCode.UNAVAILABLE, "The server is stopping", e);
        }
    }

    private synchronized void prepare() {
        if (!prepared) {
            database.prepare();
            prepared = true;
        }
    }

    /** Whether it was reached once, so that what is in memory can be what it holds. */
    public boolean isPrepared() {
        return prepared;
    }

    /** Why it is taken for away, and since when. */
    public Circuit circuit() {
        return circuit;
    }

    public Mirror mirror() {
        return mirror;
    }

    @Override
    public Dialect dialect() {
        return database.dialect();
    }

    @Override
    public Connection openWriter() throws SQLException {
        prepare();
        return database.openWriter();
    }

    /** As the database gives it: nothing is prepared for it, because that may take long. */
    @Override
    public Connection openBrief() throws SQLException {
        return database.openBrief();
    }

    @Override
    public Connection openReader() throws SQLException {
        return database.openReader();
    }

    /** Readers that are refused at once while the database is away, or are given the mirror. */
    @Override
    public ReadConnections readers() {
        return new ReadConnections(database::openReader, dialect(), false, circuit, mirror.readers());
    }

    /** Connections that read whether or not the database is taken for away: for finding out what it holds. */
    public ReadConnections recoveryReaders() {
        return new ReadConnections(database::openReader, dialect(), false);
    }

    @Override
    public void close() {
        database.close();
    }
}
