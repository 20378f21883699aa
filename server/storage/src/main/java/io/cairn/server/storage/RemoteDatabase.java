package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.StoreDamage;
import io.cairn.server.storage.mirror.Mirror;
import io.cairn.server.storage.server.DatabaseServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An external database that may be away, also at the start. Its schema is updated before the first write. */
public final class RemoteDatabase implements Database {

    private static final long PAUSE_MILLIS = 1_000;
    private static final Logger log = LoggerFactory.getLogger(RemoteDatabase.class);

    private final DatabaseServer database;
    private final Circuit circuit;
    private final Mirror mirror;
    /** Set under this lock; {@link #isPrepared()} reads it without. */
    private volatile boolean prepared;

    private RemoteDatabase(DatabaseServer database, Circuit circuit, Mirror mirror) {
        this.database = database;
        this.circuit = circuit;
        this.mirror = mirror;
    }

    /**
     * Prepares the database. If it is unreachable, returns at once with an open circuit when the mirror can serve; else retries for
     * {@code patience}. Blocks.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a wrong setting, such as the password; {@code UNAVAILABLE} when the
     *     database stays away
     */
    public static RemoteDatabase open(DatabaseServer database, Circuit circuit, Mirror mirror, Duration patience) {
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

    /** Whether it was reached once, so that memory can equal it. */
    public boolean isPrepared() {
        return prepared;
    }

    /** Why and since when it is away. */
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

    @Override
    public Optional<String> caselessTables() {
        return database.caselessTables();
    }

    /** Without preparation, which may take long. */
    @Override
    public Connection openBrief() throws SQLException {
        return database.openBrief();
    }

    @Override
    public Connection openReader() throws SQLException {
        return database.openReader();
    }

    /** Readers that are refused at once while the database is away, or get the mirror. */
    @Override
    public ReadConnections readers() {
        return new ReadConnections(
                database::openReader, dialect(), false, circuit, mirror.readers(), database.leftOut(), damage());
    }

    @Override
    public LeftOutRows leftOut() {
        return database.leftOut();
    }

    @Override
    public StoreDamage damage() {
        return database.damage();
    }

    /** Connections without regard to the circuit, for recovery. */
    public ReadConnections recoveryReaders() {
        return database.readers();
    }

    @Override
    public void close() {
        database.close();
    }
}
