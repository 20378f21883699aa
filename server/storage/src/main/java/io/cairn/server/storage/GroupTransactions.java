package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.WriteFailures.GroupFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins and commits the transactions of groups, each with the lock of the revision. When the answer to a COMMIT is lost, the change log
 * is read through a new connection. Used by the writer's thread alone.
 */
final class GroupTransactions {

    private static final int CHANGES_KEPT = 100_000;
    private static final int CHANGES_TRIMMED_EVERY = 1_000;
    private static final Logger log = LoggerFactory.getLogger(StoreWriter.class);

    private final WriterLink link;
    private final Dialect dialect;
    private final WriteFailures failures;

    GroupTransactions(WriterLink link, Dialect dialect, WriteFailures failures) {
        this.link = link;
        this.dialect = dialect;
        this.failures = failures;
    }

    /**
     * Begins a transaction.
     *
     * @param node names this node in the audit records
     */
    WriteTransaction begin(WriteConnection writer, long nowMillis, @Nullable String node) {
        try {
            dialect.begin(writer);
            return new WriteTransaction(
                    writer,
                    dialect,
                    ThreadLocalRandom.current().nextLong(),
                    dialect.lockRevision(writer),
                    nowMillis,
                    node);
        } catch (SQLException e) {
            link.undo(writer, e);
            if (dialect.isConnectionFailure(e)) {
                link.disconnect();
                throw new GroupFailure(failures.lost(e), true);
            }
            throw new GroupFailure(failures.translate(e));
        }
    }

    /** Writes the last revision that the transaction has taken; the last statement before the commit. */
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
     * Commits; returns when the transaction is stored.
     *
     * @throws GroupFailure when it is not, or when that could not be found out
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

    /** Finds out through a new connection whether the change rows of this transaction are there. */
    private boolean arrived(WriteTransaction transaction, SQLException lost) {
        if (transaction.revisionsTaken() == 0) {
            // It changed nothing, so there is nothing to acknowledge wrongly.
            return false;
        }
        try {
            Connection jdbc = link.connected().jdbc();
            // Where the database is still at work on that COMMIT, this waits until it has ended, one way or the other.
            dialect.begin(jdbc);
            dialect.lockRevision(jdbc);
            boolean found = isLogged(jdbc, transaction);
            dialect.rollback(jdbc);
            return found;
        } catch (SQLException | CairnException e) {
            // The next connection is used only after memory was compared with the store.
            link.uncertain();
            link.disconnect();
            throw new GroupFailure(new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "The database did not confirm whether the write was stored (" + dialect.explain(lost)
                            + "); read the configuration before writing it again",
                    e));
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
