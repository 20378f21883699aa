package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.change.CommitFence;
import io.cairn.server.storage.WriteFailures.GroupFailure;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes. It takes what has queued up meanwhile, runs it in one transaction, commits durably, and
 * only then answers: many commands share one disk flush.
 *
 * <p>Failure rules. One bad command fails alone: the group is rolled back and its halves are run, until the bad one is by itself. A full
 * queue refuses at once with {@code BUSY}. After a connection failure the circuit is open: commands are refused with
 * {@code UNAVAILABLE} until a new connection could be opened, which is tried at most every {@link WriterLink#RETRY_MILLIS} ms.
 * A database that is reached and refuses writes (a full disk) is tried by each write, and by a probe every
 * {@link #PROBE_MILLIS} ms, so that {@link #availability()} is right without writes too.
 * When the answer to a COMMIT is lost, the change log is read through a new connection before any command is answered; where
 * even that fails, the commands fail as uncertain, and before the next write memory is compared with the store.
 *
 * <p>Thread-safe.
 */
public final class StoreWriter implements AutoCloseable {

    /** How often the thread looks whether it is time to try again. */
    private static final long AWAY_TICK_MILLIS = 100;
    /** The pause between two probes of a database that refuses writes. */
    private static final long PROBE_MILLIS = 2_000;

    private static final Logger log = LoggerFactory.getLogger(StoreWriter.class);

    private final Dialect dialect;
    private final Clock clock;
    private final Limits limits;
    private final StoreMeters meters;
    private final GroupAnswers answers;
    private final WriteQueue queue;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Thread thread;

    private final Circuit circuit;
    private final WriteAvailability availability;
    private final WriteWatch watch;

    private final WriterLink link;
    private final WriteFailures failures;
    private final GroupTransactions transactions;
    private final AppliedRevision applied;
    private long probeAtNanos = System.nanoTime();
    private volatile @Nullable String node;

    /**
     * Limits of the queue and of one transaction.
     *
     * @param queuedCommands commands waiting; more are refused
     * @param queuedBytes bytes of waiting commands; more are refused
     * @param batchCommands commands of one transaction
     * @param batchBytes bytes of one transaction, after which no further command is added
     * @param answerWithin time after which a waiting write is answered as failed, or as possibly stored
     */
    public record Limits(
            int queuedCommands, long queuedBytes, int batchCommands, long batchBytes, Duration answerWithin) {

        /** Limits with the default of {@code answerWithin}. */
        public Limits(int queuedCommands, long queuedBytes, int batchCommands, long batchBytes) {
            this(queuedCommands, queuedBytes, batchCommands, batchBytes, Duration.ofSeconds(10));
        }
    }

    /**
     * @param onUncertainty called on the writer's thread, with no transaction open, once the database can be
     *     reached again after the outcome of a commit could not be found out
     */
    public StoreWriter(
            ConnectionSource source,
            Dialect dialect,
            Clock clock,
            Limits limits,
            StoreMeters meters,
            Runnable onUncertainty) {
        this(
                "cairn-store-writer",
                new Circuit("The database"),
                source,
                dialect,
                clock,
                limits,
                meters,
                onUncertainty,
                CommitFence.ofSingleServer());
    }

    /**
     * As above, with a circuit that others open as well.
     *
     * @param name of the thread
     * @param fence decides when the callers of a group that took revisions are answered
     */
    public StoreWriter(
            String name,
            Circuit circuit,
            ConnectionSource source,
            Dialect dialect,
            Clock clock,
            Limits limits,
            StoreMeters meters,
            Runnable onUncertainty,
            CommitFence fence) {
        this.circuit = circuit;
        this.availability = new WriteAvailability(circuit);
        this.dialect = dialect;
        this.clock = clock;
        this.applied = new AppliedRevision(clock);
        this.limits = limits;
        this.meters = meters;
        this.answers = new GroupAnswers(fence);
        this.link = new WriterLink(source, dialect, circuit, applied, onUncertainty);
        this.failures = new WriteFailures(dialect, meters);
        this.transactions = new GroupTransactions(link, dialect, failures);
        this.queue = new WriteQueue(limits);
        this.watch = new WriteWatch(limits.answerWithin(), circuit, queue);
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
        circuit.whenOpened(() -> LockSupport.unpark(thread));
    }

    /**
     * Opens the connection and starts the thread.
     *
     * @throws CairnException {@code UNAVAILABLE} when the database cannot be written
     */
    public void start() {
        try {
            link.open();
        } catch (SQLException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The database cannot be opened for writing: " + dialect.explain(e), e);
        }
        run(thread);
    }

    /**
     * Starts without the database: writes are refused with that cause until it is reached, and memory is compared with
     * it before the first one is taken.
     */
    public void startAway(CairnException cause) {
        link.uncertain();
        circuit.open(cause);
        run(thread);
    }

    private void run(Thread writing) {
        watch.start();
        writing.start();
    }

    /**
     * Names this node of a cluster in the audit records of all later transactions.
     *
     * @param address the address by which the other nodes know it, {@code host:port}
     */
    public void writesAs(String address) {
        node = address;
    }

    /** Queues the command; never blocks. The future is completed on the writer's thread, or on one of the fence. */
    <R> CompletableFuture<R> submit(StoreCommand<R> command) {
        CairnException away = circuit.cause();
        if (away != null) {
            return CompletableFuture.failedFuture(
                    new CairnException(ErrorCode.UNAVAILABLE, away.text(), away.getCause()));
        }
        PendingWrite<R> pending = new PendingWrite<>(command);
        if (!queue.offer(pending)) {
            meters.refused();
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY,
                    "Too many writes are waiting for the database (limit: " + limits.queuedCommands() + " writes or "
                            + limits.queuedBytes() + " bytes); try again shortly"));
        }
        LockSupport.unpark(thread);
        watch.queued();
        if (closed.get() && queue.remove(pending)) {
            return CompletableFuture.failedFuture(stopping());
        }
        return pending.future();
    }

    /** Commands waiting at the moment. */
    public int queuedCommands() {
        return queue.size();
    }

    /** The last revision that this node shows. */
    public AppliedRevision applied() {
        return applied;
    }

    /** How many connections it has opened after its first: at each, the database may have become another one. */
    int reconnections() {
        return link.reconnections();
    }

    /** Whether the database can be reached, and why it cannot. */
    public Circuit circuit() {
        return circuit;
    }

    /** Whether the database stores what is written, and why it does not. */
    public WriteAvailability availability() {
        return availability;
    }

    /** Writes what is queued, then ends; further commands are refused. Waits for the thread. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        watch.close();
        queue.drain().forEach(pending -> pending.future().completeExceptionally(stopping()));
    }

    private static CairnException stopping() {
        return new CairnException(ErrorCode.UNAVAILABLE, "The server is stopping; try another one");
    }

    private void run() {
        List<PendingWrite<?>> batch = new ArrayList<>(limits.batchCommands());
        try {
            while (!closed.get() || !queue.isEmpty()) {
                batch.clear();
                take(batch);
                if (!batch.isEmpty()) {
                    watch.begin(batch);
                    run(batch);
                    watch.end();
                } else if (isAway()) {
                    // Also without a next write: until then memory would go on showing what may not be stored.
                    link.reopen();
                }
                if (availability.isRefusing() && System.nanoTime() - probeAtNanos >= 0) {
                    probe();
                }
            }
        } catch (InterruptedException e) {
            // Only the end of the JVM interrupts this thread; close() answers the commands that are still queued.
            Thread.currentThread().interrupt();
        } finally {
            link.disconnect();
        }
    }

    /** Whether a connection has to be opened before anything is written. */
    private boolean isAway() {
        return circuit.cause() != null || link.isUncertain();
    }

    /** Commands that only read come last, so that they neither need the lock of the group nor divide it. */
    private void run(List<PendingWrite<?>> batch) {
        if (batch.stream().noneMatch(PendingWrite::readsOnly)) {
            write(batch);
            return;
        }
        List<PendingWrite<?>> reads =
                batch.stream().filter(PendingWrite::readsOnly).toList();
        List<PendingWrite<?>> writes =
                batch.stream().filter(pending -> !pending.readsOnly()).toList();
        if (!writes.isEmpty()) {
            write(writes);
        }
        write(reads);
    }

    /** Finds out whether the database stores writes again, also on a server without writes. */
    private void probe() {
        WriteConnection writer = link.isConnected() ? link.connected() : link.reopen();
        if (writer != null) {
            int bytes = availability.refusedBytes();
            watch.begin(List.of());
            try {
                dialect.tryToWrite(writer.jdbc(), bytes);
                availability.stored(bytes);
            } catch (SQLException e) {
                link.undo(writer, e);
                if (dialect.isConnectionFailure(e)) {
                    link.disconnect();
                }
                availability.refused(dialect.explain(e), bytes, e);
            } finally {
                watch.end();
            }
        }
        probeAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROBE_MILLIS);
    }

    private void take(List<PendingWrite<?>> batch) throws InterruptedException {
        if (queue.take(batch)) {
            return;
        }
        // Checked after the last call that may have parked this thread, because parking consumes the permit of a
        // wake-up.
        if (closed.get()) {
            return;
        }
        if (isAway()) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(AWAY_TICK_MILLIS));
        } else if (availability.isRefusing()) {
            LockSupport.parkNanos(this, Math.max(1, probeAtNanos - System.nanoTime()));
        } else {
            // A queued write, an opened circuit and close() wake the thread.
            LockSupport.park(this);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        queue.take(batch);
    }

    private void write(List<PendingWrite<?>> batch) {
        try {
            writeOrRepeat(batch);
        } catch (GroupFailure e) {
            noteRefusal(e.failure().getCause(), batch);
            batch.forEach(pending -> pending.fail(e.failure()));
        } catch (SQLException | RuntimeException e) {
            if (batch.size() == 1) {
                noteRefusal(e, batch);
                batch.get(0).fail(failures.translate(e));
            } else {
                // One of them is bad. Halves find it in few transactions, however slowly the database answers.
                int half = batch.size() / 2;
                write(batch.subList(0, half));
                write(batch.subList(half, batch.size()));
            }
        } catch (Error e) {
            // This thread must go on, and each caller needs an answer. A comparison finds out how far the group came.
            link.uncertain();
            log.error("A group of {} writes failed on a defect of the server", batch.size(), e);
            link.disconnect();
            CairnException failure = new CairnException(
                    ErrorCode.INTERNAL, "The write failed; the log of the server has the cause: " + e, e);
            batch.forEach(pending -> pending.fail(failure));
        }
    }

    /** Notes a refusal before the callers are answered, so that a later health check agrees with their answer. */
    private void noteRefusal(@Nullable Throwable cause, List<PendingWrite<?>> batch) {
        if (cause instanceof SQLException sql && circuit.cause() == null && dialect.refusesWrites(sql)) {
            if (!availability.isRefusing()) {
                probeAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROBE_MILLIS);
            }
            availability.refused(dialect.explain(sql), weight(batch), sql);
        }
    }

    private static long weight(List<PendingWrite<?>> batch) {
        long bytes = 0;
        for (PendingWrite<?> pending : batch) {
            bytes += pending.weight();
        }
        return bytes;
    }

    /**
     * A connection that was idle may have been closed by the database, or the one that it leads to accepts no writes any
     * more: where nothing was committed, the group is tried once more on a new one.
     */
    private void writeOrRepeat(List<PendingWrite<?>> batch) throws SQLException {
        boolean wasConnected = link.isConnected();
        try {
            writeTogether(batch);
        } catch (GroupFailure e) {
            if (!wasConnected || !e.isUndone() || link.isConnected()) {
                throw e;
            }
            log.info("Writing on a new connection: {}", e.failure().text());
            writeTogether(batch);
        }
    }

    /**
     * Throws when nothing was written; the transaction is then undone.
     *
     * @throws GroupFailure when no command is to blame, so that none would fare better by itself
     */
    private void writeTogether(List<PendingWrite<?>> taken) throws SQLException {
        long startNanos = System.nanoTime();
        WriteConnection writer = connectedForGroup();
        if (taken.get(0).readsOnly()) {
            readTogether(writer, taken);
            return;
        }
        WriteTransaction transaction = transactions.begin(writer, clock.millis(), node);
        // Not earlier: other nodes may have written while this one waited for the lock of the revision.
        List<PendingWrite<?>> batch = watch.refuseLate(taken);
        try {
            batch.forEach(pending -> pending.expect(transaction));
            for (PendingWrite<?> pending : batch) {
                pending.execute(transaction);
            }
            transaction.settle();
            GroupTransactions.advanceRevision(transaction);
        } catch (SQLException e) {
            link.undo(writer, e);
            throw connectionLost(e);
        } catch (RuntimeException e) {
            link.undo(writer, e);
            throw e;
        }
        transactions.commit(writer, transaction, batch.size());
        circuit.close();
        if (availability.isRefusing()) {
            availability.stored(weight(batch));
        }
        meters.committed(batch.size(), System.nanoTime() - startNanos);
        // First every read shows all of the group, then the first of them is answered.
        boolean shown = show(batch);
        if (transaction.revisionsTaken() == 0) {
            GroupAnswers.answer(batch);
            return;
        }
        if (shown) {
            applied.committed(transaction.firstRevision(), transaction.lastRevision(), transaction.batch());
        }
        answers.answer(batch, transaction.lastRevision());
    }

    /**
     * Runs commands that only read, without a transaction and without the lock of the revision. A change that another node
     * commits meanwhile is read or not; its row of the change log has them read again.
     */
    private void readTogether(WriteConnection reader, List<PendingWrite<?>> batch) throws SQLException {
        WriteTransaction reading = WriteTransaction.reading(reader, dialect, clock.millis());
        try {
            batch.forEach(pending -> pending.expect(reading));
            for (PendingWrite<?> pending : batch) {
                pending.execute(reading);
            }
        } catch (SQLException e) {
            throw connectionLost(e);
        }
        circuit.close();
        show(batch);
        GroupAnswers.answer(batch);
    }

    /**
     * The failure itself, for which one of the commands is to blame.
     *
     * @throws GroupFailure when the connection was lost
     */
    private SQLException connectionLost(SQLException failure) {
        if (dialect.isConnectionFailure(failure)) {
            link.disconnect();
            throw new GroupFailure(failures.lost(failure), true);
        }
        return failure;
    }

    /** Has reads show what is stored; false when that failed for a command. */
    private boolean show(List<PendingWrite<?>> batch) {
        boolean shown = GroupAnswers.show(batch);
        if (!shown) {
            // The next connection begins with comparing memory and store.
            link.uncertain();
            link.disconnect();
        }
        return shown;
    }

    private WriteConnection connectedForGroup() {
        try {
            return link.connected();
        } catch (CairnException e) {
            throw new GroupFailure(e);
        }
    }
}
