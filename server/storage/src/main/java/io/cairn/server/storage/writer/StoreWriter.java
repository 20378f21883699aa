package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.StoreDamage;
import io.cairn.server.storage.database.WriteConnection;
import io.cairn.server.storage.writer.WriteFailures.GroupFailure;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one writing thread. It runs queued commands in one transaction, commits durably, and only then answers: many commands share
 * one disk flush.
 *
 * <p>Failure rules. A bad command fails alone: the group is rolled back and halved until it is by itself. A full queue refuses at
 * once with {@code BUSY}. A connection failure opens the circuit: commands are refused with {@code UNAVAILABLE} until a new
 * connection succeeds, tried at most every {@link WriterLink#RETRY_MILLIS} ms. Another node's or program's lock is no such failure:
 * the thread waits as long as the answer may take. A database that refuses writes (a full disk) is tried by each write, and by a
 * probe every {@link #PROBE_MILLIS} ms, so that {@link #availability()} is right without writes. After a lost answer to COMMIT, the
 * change log is read through a new connection before any answer; where even that fails, the commands fail as uncertain, and memory
 * is compared with the store before the next write.
 */
public final class StoreWriter implements AutoCloseable {

    /** The interval of checks for a retry. */
    private static final long AWAY_TICK_MILLIS = 100;
    /** The interval of probes of a database that refuses writes. */
    private static final long PROBE_MILLIS = 2_000;
    /** The pause before a write to another program's locked row is retried. */
    private static final long ROW_LOCKED_PAUSE_MILLIS = 250;
    /** How often a reading command checks whether the writer's thread waits for other nodes. */
    private static final long STAND_IN_LOOK_MILLIS = 100;

    private static final Logger log = LoggerFactory.getLogger(StoreWriter.class);

    private final Dialect dialect;
    private final StoreDamage damage;
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
    private final WriterTurn turn = new WriterTurn();
    private final StandInReader standIn;
    private final LockWaits waits;
    private final WriteFailures failures;
    private final GroupTransactions transactions;
    private final AppliedRevision applied;
    private long probeAtNanos = System.nanoTime();
    private volatile @Nullable String node;

    /**
     * @param queuedBytes waiting; more are refused
     * @param batchCommands of one transaction
     * @param batchBytes of one transaction, after which no command is added
     * @param answerWithin after which a waiting write is answered as failed, or possibly stored
     * @param callerWaits after which the caller may have given up a write
     */
    public record Limits(
            int queuedCommands,
            long queuedBytes,
            int batchCommands,
            long batchBytes,
            Duration answerWithin,
            Duration callerWaits) {

        /** Official clients give up after this time. */
        public static final Duration CALLER_WAITS = Duration.ofSeconds(3);

        /** With the defaults of the times. */
        public Limits(int queuedCommands, long queuedBytes, int batchCommands, long batchBytes) {
            this(queuedCommands, queuedBytes, batchCommands, batchBytes, Duration.ofSeconds(10), CALLER_WAITS);
        }
    }

    /**
     * @param onUncertainty called on the writer's thread, without a transaction, once the database is back after an unknown outcome
     *     of a commit
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
                VisibilityBarrier.ofSingleServer(),
                StoreDamage.unnamed());
    }

    /**
     * With a shared circuit.
     *
     * @param name of the thread
     * @param barrier decides when callers of a group with revisions are answered
     * @param damage notes unreadable parts
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
            VisibilityBarrier barrier,
            StoreDamage damage) {
        this.circuit = circuit;
        this.availability = new WriteAvailability(circuit);
        this.dialect = dialect;
        this.damage = damage;
        this.clock = clock;
        this.applied = new AppliedRevision(clock);
        this.limits = limits;
        this.meters = meters;
        this.answers = new GroupAnswers(barrier);
        this.link = new WriterLink(source, dialect, circuit, applied, onUncertainty);
        this.failures = new WriteFailures(dialect, meters);
        this.queue = new WriteQueue(limits);
        this.watch = new WriteWatch(limits, circuit, queue);
        this.waits = new LockWaits(dialect, clock, limits.answerWithin());
        this.transactions = new GroupTransactions(link, dialect, clock, failures, turn, waits, watch);
        this.standIn = new StandInReader(source, dialect, clock, turn, link, failures);
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
        circuit.whenOpened(() -> LockSupport.unpark(thread));
    }

    /** @throws CairnException {@code UNAVAILABLE} for an unwritable database */
    public void start() {
        try {
            link.open();
        } catch (SQLException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The database cannot be opened for writing: " + dialect.explain(e), e);
        }
        run(thread);
    }

    /** Starts without the database: refuses writes with the cause until it is back, and compares memory before the first. */
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
     * Names this node in later audit records and sessions, so that other nodes can name a lock's holder.
     *
     * @param address {@code host:port} for other nodes
     */
    public void writesAs(String address) {
        node = address;
        link.named(address);
    }

    /** Never blocks. Completes on the writer's or the barrier's thread. */
    public <R> CompletableFuture<R> submit(StoreCommand<R> command) {
        return submit(new PendingWrite<>(command));
    }

    private <R> CompletableFuture<R> submit(PendingWrite<R> pending) {
        CairnException away = circuit.cause();
        if (away != null) {
            return CompletableFuture.failedFuture(
                    new CairnException(ErrorCode.UNAVAILABLE, away.text(), away.getCause()));
        }
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

    /**
     * Runs a {@linkplain StoreCommand#readsOnly() reading} command, and blocks until its result is shown: in turn on the writer's
     * thread, or on the calling one while that waits for other nodes, so following never waits for a lock.
     *
     * @throws CompletionException with the failure of {@link #submit(StoreCommand)}
     */
    public <R> R follow(StoreCommand<R> command) {
        PendingWrite<R> pending = new PendingWrite<>(command);
        standIn.run(pending);
        CompletableFuture<R> queued = pending.future().isDone() ? pending.future() : submit(pending);
        while (true) {
            try {
                return queued.get(STAND_IN_LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                standIn.run(pending);
            } catch (ExecutionException e) {
                throw new CompletionException(e.getCause());
            } catch (InterruptedException e) {
                // Only the end of the JVM interrupts a thread that follows.
                Thread.currentThread().interrupt();
                throw new CompletionException(stopping());
            }
        }
    }

    public int queuedCommands() {
        return queue.size();
    }

    /** The last revision that this node shows. */
    public AppliedRevision applied() {
        return applied;
    }

    /** Connections after the first: each may lead to another database. */
    int reconnections() {
        return link.reconnections();
    }

    /** Whether the database can be reached, and why not. */
    public Circuit circuit() {
        return circuit;
    }

    /** Whether the database stores writes, and why not. */
    public WriteAvailability availability() {
        return availability;
    }

    /** The last lock that another node held until the database ended its session, or null. */
    public LockWaits.@Nullable HeldLock lastHeldLock() {
        return waits.lastHeld();
    }

    /** Writes the queue, then ends; refuses further commands. Waits for the thread. */
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
                    waits.group();
                    run(batch);
                    watch.end();
                    // Reading commands may have taken long on other connections.
                    link.use();
                    findEndedSession();
                } else if (isAway()) {
                    // Even without a write: until then memory may show unstored state.
                    link.reopen();
                } else {
                    link.use();
                }
                if (availability.isRefusing() && System.nanoTime() - probeAtNanos >= 0) {
                    probe();
                }
            }
        } catch (InterruptedException e) {
            // Only the end of the JVM interrupts this thread; close() answers queued commands.
            Thread.currentThread().interrupt();
        } finally {
            link.disconnect();
        }
    }

    private void findEndedSession() {
        if (link.isConnected()) {
            waits.findEndedSession(link.connected().jdbc());
        }
    }

    /** Whether a connection must be opened before a write. */
    private boolean isAway() {
        return circuit.cause() != null || link.isUncertain();
    }

    /** Reading commands come last, so they neither need the group's lock nor divide it. */
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
        List<PendingWrite<?>> unread =
                reads.stream().filter(PendingWrite::claim).toList();
        if (!unread.isEmpty()) {
            write(unread);
        }
    }

    /** Checks whether the database stores writes again, also without writes. */
    private void probe() {
        WriteConnection writer = link.isConnected() ? link.connected() : link.reopen();
        if (writer != null) {
            int bytes = availability.refusedBytes();
            watch.begin(List.of());
            // Nothing is shown for it, and it may wait for another node's lock.
            turn.lend();
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
                turn.takeBack();
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
            long nanos = link.nanosToUse();
            if (nanos > 0) {
                LockSupport.parkNanos(this, nanos);
            } else {
                LockSupport.park(this);
            }
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
            if (damage.note(dialect, e.failure().getCause()) && e.isUndone() && batch.size() > 1) {
                // Only some need the damaged part.
                writeHalves(batch);
                return;
            }
            noteRefusal(e.failure().getCause(), batch);
            batch.forEach(pending -> pending.fail(e.failure()));
        } catch (SQLException | RuntimeException e) {
            if (batch.size() == 1) {
                noteRefusal(e, batch);
                batch.get(0).fail(failures.translate(e));
            } else {
                // Halves find the bad command in few transactions, however slow the database is.
                writeHalves(batch);
            }
        } catch (Error e) {
            // This thread must go on, and each caller needs an answer. A comparison finds how far the group came.
            link.uncertain();
            log.error("A group of {} writes failed on a defect of the server", batch.size(), e);
            link.disconnect();
            CairnException failure = new CairnException(
                    ErrorCode.INTERNAL, "The write failed; the log of the server has the cause: " + e, e);
            batch.forEach(pending -> pending.fail(failure));
        }
    }

    private void writeHalves(List<PendingWrite<?>> batch) {
        int half = batch.size() / 2;
        write(batch.subList(0, half));
        write(batch.subList(half, batch.size()));
    }

    /** Notes a refusal before the answers, so that a later health check agrees. */
    private void noteRefusal(@Nullable Throwable cause, List<PendingWrite<?>> batch) {
        if (cause instanceof SQLException sql
                && circuit.cause() == null
                && dialect.refusesWrites(sql)
                && !damage.note(dialect, sql)) {
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
     * The database may have closed an idle connection, or its server may accept no writes any more: without a commit, the group is
     * tried once more on a new one.
     */
    private void writeOrRepeat(List<PendingWrite<?>> batch) throws SQLException {
        boolean wasConnected = link.isConnected();
        try {
            writeWhenFree(batch);
        } catch (GroupFailure e) {
            if (!wasConnected || !e.isUndone() || link.isConnected()) {
                throw e;
            }
            log.info("Writing on a new connection: {}", e.failure().text());
            writeWhenFree(batch);
        }
    }

    /**
     * Another program's locked row delays only the command that needs it, as long as a write may wait. Other nodes write between
     * the attempts.
     */
    private void writeWhenFree(List<PendingWrite<?>> batch) throws SQLException {
        while (true) {
            try {
                writeTogether(batch);
                return;
            } catch (SQLException e) {
                if (batch.size() > 1 || !dialect.isLockedOut(e) || !waits.mayTryAgain()) {
                    throw e;
                }
                watch.answered();
                pause();
            }
        }
    }

    /** Longer than the other nodes' retries: the database ends all waits for locks at the same time. */
    private void pause() {
        turn.lend();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROW_LOCKED_PAUSE_MILLIS);
        // A newly queued write wakes the thread.
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
        turn.takeBack();
    }

    /**
     * Throws when nothing was written; the transaction is undone.
     *
     * @throws GroupFailure without a guilty command, so halves would fail, too
     */
    private void writeTogether(List<PendingWrite<?>> taken) throws SQLException {
        long startNanos = System.nanoTime();
        WriteConnection writer = connectedForGroup();
        if (taken.get(0).readsOnly()) {
            readTogether(writer, taken);
            return;
        }
        WriteTransaction transaction = transactions.begin(writer, node);
        applied.begun(transaction.firstRevision());
        answers.begun(transaction.firstRevision());
        // Not earlier: other nodes may have written during the wait for the lock.
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
        // Every read shows the whole group before the first answer.
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
     * Runs reading commands without transaction and lock. Another node's concurrent commit is read or not; its change row makes it
     * read again.
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
     * The failure itself, of one command.
     *
     * @throws GroupFailure for a lost connection
     */
    private SQLException connectionLost(SQLException failure) {
        if (dialect.isConnectionFailure(failure)) {
            link.disconnect();
            throw new GroupFailure(failures.lost(failure), true);
        }
        return failure;
    }

    /** Shows stored commands to reads; false after a failure. */
    private boolean show(List<PendingWrite<?>> batch) {
        boolean shown = GroupAnswers.show(batch);
        if (!shown) {
            // The next connection begins with a comparison of memory and store.
            link.uncertain();
            link.disconnect();
        }
        return shown;
    }

    private WriteConnection connectedForGroup() {
        if (link.isUncertain()) {
            // Memory is compared with the store on a new one.
            link.disconnect();
        }
        try {
            return link.connected();
        } catch (CairnException e) {
            throw new GroupFailure(e);
        }
    }
}
