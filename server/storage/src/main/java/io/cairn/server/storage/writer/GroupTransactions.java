package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.WriteConnection;
import io.cairn.server.storage.writer.WriteFailures.GroupFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins and commits groups' transactions, each with the lock of the revision. After a lost answer to COMMIT, reads the change log
 * through a new connection. For the writer's thread.
 */
final class GroupTransactions {

    private static final int CHANGES_KEPT = 100_000;
    private static final int CHANGES_TRIMMED_EVERY = 1_000;
    private static final Logger log = LoggerFactory.getLogger(GroupTransactions.class);

    /** How long the lock is kept while a stand-in ends; a small read takes a few milliseconds. */
    private static final Duration KEPT_FOR_STAND_IN = Duration.ofMillis(50);

    /** The minimum wait until the database has ended a COMMIT with a lost answer. */
    private static final Duration COMMIT_ENDS_WITHIN = Duration.ofSeconds(4);

    private final WriterLink link;
    private final Dialect dialect;
    private final Clock clock;
    private final WriteFailures failures;
    private final WriterTurn turn;
    private final LockWaits waits;
    private final WriteWatch watch;

    /**
     * @param turn lent while this thread waits for the lock
     * @param watch learns when another node holds it
     */
    GroupTransactions(
            WriterLink link,
            Dialect dialect,
            Clock clock,
            WriteFailures failures,
            WriterTurn turn,
            LockWaits waits,
            WriteWatch watch) {
        this.link = link;
        this.dialect = dialect;
        this.clock = clock;
        this.failures = failures;
        this.turn = turn;
        this.waits = waits;
        this.watch = watch;
    }

    /**
     * Begins a transaction. Waits for another node's lock as long as a write may: the database ends a stopped node's session.
     *
     * @param node of the audit records
     * @throws GroupFailure without a transaction
     */
    WriteTransaction begin(WriteConnection writer, @Nullable String node) {
        while (true) {
            try {
                long lastRevision = lock(writer);
                if (turn.isTakenBack(KEPT_FOR_STAND_IN)) {
                    waits.locked();
                    return new WriteTransaction(
                            writer,
                            dialect,
                            ThreadLocalRandom.current().nextLong(),
                            lastRevision,
                            clock.millis(),
                            node);
                }
                // A stand-in reads much. Other nodes must not wait for that.
                dialect.rollback(writer.jdbc());
                turn.takeBack();
            } catch (SQLException e) {
                turn.takeBack();
                lockedOut(writer, e);
            } catch (RuntimeException | Error e) {
                turn.takeBack();
                throw e;
            }
        }
    }

    private long lock(WriteConnection writer) throws SQLException {
        turn.lend();
        dialect.begin(writer);
        return dialect.lockRevision(writer);
    }

    /** Returns for a retry. */
    private void lockedOut(WriteConnection writer, SQLException failure) {
        link.undo(writer, failure);
        SQLException cause = failure;
        if (link.isConnected() && dialect.isLockedOut(failure)) {
            watch.answered();
            cause = noted(writer, failure);
            if (!dialect.isConnectionFailure(cause) && waits.mayTryAgain()) {
                return;
            }
        }
        if (!link.isConnected() || dialect.isConnectionFailure(cause)) {
            link.disconnect();
            throw new GroupFailure(failures.lost(cause), true);
        }
        throw new GroupFailure(failures.translate(cause));
    }

    /** Notes sessions that may hold the lock; returns the failure with them, or that of the connection. */
    private SQLException noted(WriteConnection writer, SQLException failure) {
        try {
            waits.lockedOut(writer.jdbc());
        } catch (SQLException e) {
            if (dialect.isConnectionFailure(e)) {
                return e;
            }
            log.debug("The sessions of the other nodes cannot be listed", e);
        }
        return waits.given(failure);
    }

    /** Writes the last taken revision; the last statement before the commit. */
    static void advanceRevision(WriteTransaction transaction) throws SQLException {
        if (transaction.revisionsTaken() == 0) {
            return;
        }
        PreparedStatement advance = transaction.prepared("UPDATE cairn_revision SET value = ? WHERE id = 1");
        advance.setLong(1, transaction.lastRevision());
        if (advance.executeUpdate() != 1) {
            throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
        }
        long last = transaction.lastRevision();
        long first = transaction.firstRevision();
        if (first / CHANGES_TRIMMED_EVERY != last / CHANGES_TRIMMED_EVERY) {
            PreparedStatement trim = transaction.prepared("DELETE FROM cairn_change WHERE revision <= ?");
            trim.setLong(1, last - CHANGES_KEPT);
            trim.executeUpdate();
        }
    }

    /**
     * Returns when the transaction is stored.
     *
     * @throws GroupFailure when it is not, or unknown
     */
    void commit(WriteConnection writer, WriteTransaction transaction, int commands) {
        try {
            dialect.commit(writer);
        } catch (SQLException e) {
            log.warn("COMMIT of {} writes gave no answer ({}); reading whether it arrived", commands, e.getMessage());
            link.disconnect();
            if (!arrived(transaction, e)) {
                throw new GroupFailure(failures.translate(e));
            }
        }
    }

    /** Checks through a new connection for this transaction's change rows. */
    private boolean arrived(WriteTransaction transaction, SQLException lost) {
        if (transaction.revisionsTaken() == 0) {
            // Without changes no acknowledgement can be wrong.
            return false;
        }
        try {
            Connection jdbc = link.connected().jdbc();
            // Where the database still executes that COMMIT, this waits for its end.
            lockToRead(jdbc);
            boolean found = isLogged(jdbc, transaction);
            dialect.rollback(jdbc);
            return found;
        } catch (SQLException | CairnException e) {
            // The next connection is used only after a comparison of memory and store.
            link.uncertain();
            link.disconnect();
            throw new GroupFailure(new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "The database did not confirm whether the write was stored (" + dialect.explain(lost)
                            + "); read the configuration before writing it again",
                    e));
        }
    }

    /** The turn stays with this thread: a stand-in would read unshown results of this transaction. */
    private void lockToRead(Connection jdbc) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            dialect.begin(jdbc);
            try {
                dialect.lockRevision(jdbc);
                return;
            } catch (SQLException e) {
                boolean isLate = System.nanoTime() - start > COMMIT_ENDS_WITHIN.toNanos();
                if (!dialect.isLockedOut(e) || isLate && !waits.mayTryAgain()) {
                    throw e;
                }
                watch.answered();
                dialect.rollback(jdbc);
            }
        }
    }

    private static boolean isLogged(Connection jdbc, WriteTransaction transaction) throws SQLException {
        try (PreparedStatement query =
                jdbc.prepareStatement("SELECT 1 FROM cairn_change WHERE revision = ? AND batch = ?")) {
            query.setLong(1, transaction.lastRevision());
            query.setLong(2, transaction.batch());
            try (ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        }
    }
}
