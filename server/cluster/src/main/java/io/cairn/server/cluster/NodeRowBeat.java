package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes this node's heartbeat into the database, and reads the heartbeats of the others. Owns the thread {@code cairn-node-row},
 * which may block on the database.
 */
final class NodeRowBeat implements AutoCloseable {

    private static final Duration ROW_REMOVAL = Duration.ofSeconds(3);

    private static final Logger log = LoggerFactory.getLogger(NodeRowBeat.class);

    private final NodeId self;
    private final NodeTable rows;
    private final RowWitness witness;
    private final Supplier<GroupView> view;
    private final Function<GroupView, NodeTable.Row> row;
    private final Runnable whenRead;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread created = new Thread(task, "cairn-node-row");
        created.setDaemon(true);
        return created;
    });

    /** Of the owned thread, and before that of the starting one. */
    private boolean beatFails;

    /** As {@link #beatFails}: another run with this address writes its heartbeat. */
    private boolean isReplaced;

    /**
     * @param row the row of this node for a view
     * @param whenRead called after each read, by the owned thread
     */
    NodeRowBeat(
            NodeId self,
            NodeTable rows,
            RowWitness witness,
            Supplier<GroupView> view,
            Function<GroupView, NodeTable.Row> row,
            Runnable whenRead) {
        this.self = self;
        this.rows = rows;
        this.witness = witness;
        this.view = view;
        this.row = row;
        this.whenRead = whenRead;
    }

    /**
     * Writes and reads the first heartbeats, in the calling thread. The database may be away.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when another node with this address runs
     */
    void first() {
        GroupView now = view.get();
        boolean isWritten;
        try {
            isWritten = rows.beat(row.apply(now));
            witness.read(rows.recentNodes(), now.members());
        } catch (CairnException e) {
            beatFailed(e);
            return;
        }
        if (!isWritten) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "Another node with the address " + self.address()
                            + " writes its heartbeat into this database: set nacos.inetutils.ip-address or server.port, or stop"
                            + " that node");
        }
    }

    void start() {
        thread.scheduleWithFixedDelay(this::beat, 0, NodeTable.BEAT_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        thread.scheduleWithFixedDelay(this::forgetRows, 1, 60, TimeUnit.MINUTES);
    }

    void soon() {
        try {
            thread.execute(this::beat);
        } catch (RejectedExecutionException e) {
            log.debug("A heartbeat comes after the close of this node");
        }
    }

    private void beat() {
        GroupView now = view.get();
        try {
            boolean isWritten = rows.beat(row.apply(now));
            if (!isWritten && !isReplaced) {
                log.error(
                        "Another node with the address {} has started and writes its heartbeat into this database; stop one"
                                + " of the two",
                        self.address());
            }
            isReplaced = !isWritten;
            witness.read(rows.recentNodes(), now.members());
            whenRead.run();
            if (beatFails) {
                beatFails = false;
                log.info("The heartbeat of this node is written to the database again");
            }
        } catch (CairnException e) {
            beatFailed(e);
        } catch (RuntimeException e) {
            log.error("A heartbeat in the database was left out on a defect of the server", e);
        }
    }

    private void beatFailed(CairnException cause) {
        if (!beatFails) {
            beatFails = true;
            log.warn(
                    "The heartbeat of this node cannot be written to the database, and is tried again: {}",
                    cause.text());
        }
    }

    /** Any node removes the rows of nodes that are gone. */
    private void forgetRows() {
        try {
            int forgotten = rows.forgetSilent();
            if (forgotten > 0) {
                log.info("Removed {} nodes from the database that have been silent for a day", forgotten);
            }
        } catch (CairnException e) {
            log.debug("Silent nodes are removed later: {}", e.text());
        } catch (RuntimeException e) {
            log.error("Silent nodes were not removed on a defect of the server", e);
        }
    }

    /** Removes the row of this node. Takes some seconds at most. */
    @Override
    public void close() {
        try {
            thread.submit(() -> rows.remove(self)).get(ROW_REMOVAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            log.info("The row of this node stays in the database ({}); other nodes pass it over in a minute", cause(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.shutdownNow();
    }

    private static String cause(Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return cause instanceof CairnException known ? known.text() : cause.toString();
    }
}
