package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.WriteConnection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs reading commands in place of the writer's thread while that waits for other nodes, on their own connections, so that
 * following goes on.
 */
final class StandInReader {

    /** Between healthy nodes the writer's thread waits less, and runs the command itself. */
    private static final Duration AFTER_WAITING = Duration.ofMillis(100);

    private static final Logger log = LoggerFactory.getLogger(StandInReader.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Clock clock;
    private final WriterTurn turn;
    private final WriterLink link;
    private final WriteFailures failures;

    StandInReader(
            ConnectionSource source,
            Dialect dialect,
            Clock clock,
            WriterTurn turn,
            WriterLink link,
            WriteFailures failures) {
        this.source = source;
        this.dialect = dialect;
        this.clock = clock;
        this.turn = turn;
        this.link = link;
        this.failures = failures;
    }

    /**
     * Runs and answers the command on the calling thread; no effect while the writer's thread does not wait. Blocks on the
     * database.
     */
    void run(PendingWrite<?> pending) {
        if (!turn.isToBorrow(AFTER_WAITING)) {
            return;
        }
        // Before the turn is taken, which the writer's thread may need at any time.
        try (WriteConnection reader = new WriteConnection(source.open())) {
            if (turn.borrow(AFTER_WAITING)) {
                try {
                    if (pending.claim()) {
                        read(pending, reader);
                    }
                } finally {
                    turn.release();
                }
            }
        } catch (SQLException e) {
            // The next try or the writer's thread runs the command.
            log.debug("What other nodes have stored is read later: {}", dialect.explain(e));
        }
    }

    private void read(PendingWrite<?> pending, WriteConnection reader) {
        try {
            WriteTransaction reading = WriteTransaction.reading(reader, dialect, clock.millis());
            pending.expect(reading);
            pending.execute(reading);
        } catch (SQLException e) {
            pending.fail(dialect.isConnectionFailure(e) ? failures.lost(e) : failures.translate(e));
            return;
        } catch (RuntimeException e) {
            pending.fail(failures.translate(e));
            return;
        } catch (Error e) {
            link.uncertain();
            log.error("Reading what other nodes have stored failed on a defect of the server", e);
            pending.fail(new CairnException(
                    ErrorCode.INTERNAL, "The read failed; the log of the server has the cause: " + e, e));
            return;
        }
        List<PendingWrite<?>> alone = List.of(pending);
        if (!GroupAnswers.show(alone)) {
            link.uncertain();
        }
        GroupAnswers.answer(alone);
    }
}
