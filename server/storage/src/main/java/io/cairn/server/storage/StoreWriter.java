package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.change.CommitFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
 * {@code UNAVAILABLE} until a new connection could be opened, which is tried at most every {@link #RETRY_MILLIS} ms.
 * A database that is reached and refuses writes (a full disk) is tried by each write, and by a probe every
 * {@link #PROBE_MILLIS} ms, so that {@link #availability()} is right without writes too.
 * When the answer to a COMMIT is lost, the change log is read through a new connection before any command is answered; where
 * even that fails, the commands fail as uncertain, and before the next write memory is compared with the store.
 *
 * <p>Thread-safe.
 */
public final class StoreWriter implements AutoCloseable {

    static final long RETRY_MILLIS = 500;
    /** How often the thread looks whether it is time to try again. */
    private static final long AWAY_TICK_MILLIS = 100;
    /** The pause between two probes of a database that refuses writes. */
    private static final long PROBE_MILLIS = 2_000;

    private static final int CHANGES_KEPT = 100_000;
    private static final int CHANGES_TRIMMED_EVERY = 1_000;
    private static final Logger log = LoggerFactory.getLogger(StoreWriter.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Clock clock;
    private final Limits limits;
    private final StoreMeters meters;
    private final Runnable onUncertainty;
    private final CommitFence fence;
    private final BlockingQueue<PendingWrite<?>> queue;
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Thread thread;

    private final Circuit circuit;
    private final WriteAvailability availability;
    private final WriteWatch watch;

    private @Nullable WriteConnection connection;
    private long retryAtNanos = System.nanoTime();
    private long probeAtNanos = System.nanoTime();
    private boolean uncertain;
    private volatile @Nullable String node;
    private final AppliedRevision applied;
    private final AtomicInteger connections = new AtomicInteger();

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
        this.source = source;
        this.dialect = dialect;
        this.clock = clock;
        this.applied = new AppliedRevision(clock);
        this.limits = limits;
        this.meters = meters;
        this.onUncertainty = onUncertainty;
        this.fence = fence;
        this.queue = new ArrayBlockingQueue<>(limits.queuedCommands());
        this.watch = new WriteWatch(limits.answerWithin(), circuit, queue, this::release);
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
            connection = new WriteConnection(source.open());
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
        uncertain = true;
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
        if (queuedBytes.addAndGet(pending.weight()) > limits.queuedBytes() || !queue.offer(pending)) {
            queuedBytes.addAndGet(-pending.weight());
            meters.refused();
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY,
                    "Too many writes are waiting for the database (limit: " + limits.queuedCommands() + " writes or "
                            + limits.queuedBytes() + " bytes); try again shortly"));
        }
        queued.incrementAndGet();
        LockSupport.unpark(thread);
        watch.queued();
        if (closed.get() && queue.remove(pending)) {
            release(pending);
            return CompletableFuture.failedFuture(stopping());
        }
        return pending.future();
    }

    /** Commands waiting at the moment. */
    public int queuedCommands() {
        return queued.get();
    }

    /** The last revision that this node shows. */
    public AppliedRevision applied() {
        return applied;
    }

    /** How many connections it has opened after its first: at each, the database may have become another one. */
    int reconnections() {
        return connections.get();
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
        List<PendingWrite<?>> left = new ArrayList<>();
        queue.drainTo(left);
        left.forEach(pending -> pending.future().completeExceptionally(stopping()));
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
                } else if (circuit.cause() != null || uncertain) {
                    // Also without a next write: until then memory would go on showing what may not be stored.
                    reopen();
                }
                if (availability.isRefusing() && System.nanoTime() - probeAtNanos >= 0) {
                    probe();
                }
            }
        } catch (InterruptedException e) {
            // Only the end of the JVM interrupts this thread; close() answers the commands that are still queued.
            Thread.currentThread().interrupt();
        } finally {
            disconnect();
        }
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
        if (connection == null) {
            reopen();
        }
        WriteConnection writer = connection;
        if (writer != null) {
            int bytes = availability.refusedBytes();
            watch.begin(List.of());
            try {
                dialect.tryToWrite(writer.jdbc(), bytes);
                availability.stored(bytes);
            } catch (SQLException e) {
                undo(writer, e);
                if (dialect.isConnectionFailure(e)) {
                    disconnect();
                }
                availability.refused(dialect.explain(e), bytes, e);
            } finally {
                watch.end();
            }
        }
        probeAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROBE_MILLIS);
    }

    private void reopen() {
        if (connection != null) {
            // Another part found the database away: this connection is not used until a new one is open.
            disconnect();
        }
        try {
            connected();
        } catch (CairnException e) {
            log.debug("Still {}", e.text());
        } catch (Error e) {
            // This thread must go on, or no write would ever be answered again.
            retryAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
            circuit.open(new CairnException(
                    ErrorCode.INTERNAL, circuit.subject() + " cannot be written, the server's log says why: " + e, e));
            log.error("Comparing memory with the store failed on a defect of the server", e);
        }
    }

    private void take(List<PendingWrite<?>> batch) throws InterruptedException {
        PendingWrite<?> next = queue.poll();
        if (next == null) {
            // Checked after the last call that may have parked this thread, because parking consumes the permit of a
            // wake-up.
            if (closed.get()) {
                return;
            }
            if (circuit.cause() != null || uncertain) {
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
            next = queue.poll();
        }
        long bytes = 0;
        while (next != null) {
            release(next);
            bytes += next.weight();
            batch.add(next);
            if (batch.size() >= limits.batchCommands() || bytes >= limits.batchBytes() || next.takesLong()) {
                return;
            }
            PendingWrite<?> following = queue.peek();
            if (following != null && following.takesLong()) {
                return;
            }
            next = queue.poll();
        }
    }

    private void release(PendingWrite<?> pending) {
        queuedBytes.addAndGet(-pending.weight());
        queued.decrementAndGet();
    }

    private void write(List<PendingWrite<?>> batch) {
        try {
            writeOrRepeat(batch);
        } catch (GroupFailure e) {
            noteRefusal(e.failure.getCause(), batch);
            batch.forEach(pending -> pending.fail(e.failure));
        } catch (SQLException | RuntimeException e) {
            if (batch.size() == 1) {
                noteRefusal(e, batch);
                batch.get(0).fail(translate(e));
            } else {
                // One of them is bad. Halves find it in few transactions, however slowly the database answers.
                int half = batch.size() / 2;
                write(batch.subList(0, half));
                write(batch.subList(half, batch.size()));
            }
        } catch (Error e) {
            // This thread must go on, and each caller needs an answer. A comparison finds out how far the group came.
            uncertain = true;
            log.error("A group of {} writes failed on a defect of the server", batch.size(), e);
            disconnect();
            CairnException failure =
                    new CairnException(ErrorCode.INTERNAL, "The write failed, the server's log says why: " + e, e);
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
        boolean wasConnected = connection != null;
        try {
            writeTogether(batch);
        } catch (GroupFailure e) {
            if (!wasConnected || !e.isUndone || connection != null) {
                throw e;
            }
            log.info("Writing on a new connection: {}", e.failure.text());
            writeTogether(batch);
        }
    }

    /**
     * Throws when nothing was written; the transaction is then undone.
     *
     * @throws GroupFailure when no command is to blame, so that none would fare better by itself
     */
    private void writeTogether(List<PendingWrite<?>> batch) throws SQLException {
        long startNanos = System.nanoTime();
        WriteConnection writer = connectedForGroup();
        if (batch.get(0).readsOnly()) {
            readTogether(writer, batch);
            return;
        }
        WriteTransaction transaction = begin(writer);
        try {
            batch.forEach(pending -> pending.expect(transaction));
            for (PendingWrite<?> pending : batch) {
                pending.execute(transaction);
            }
            transaction.settle();
            advanceRevision(transaction);
        } catch (SQLException e) {
            undo(writer, e);
            if (dialect.isConnectionFailure(e)) {
                disconnect();
                throw new GroupFailure(lost(e), true);
            }
            throw e;
        } catch (RuntimeException e) {
            undo(writer, e);
            throw e;
        }
        commit(writer, transaction, batch.size());
        circuit.close();
        if (availability.isRefusing()) {
            availability.stored(weight(batch));
        }
        meters.committed(batch.size(), System.nanoTime() - startNanos);
        // First every read shows all of the group, then the first of them is answered.
        boolean shown = show(batch);
        if (transaction.revisionsTaken() == 0) {
            answer(batch);
            return;
        }
        if (shown) {
            applied.committed(transaction.firstRevision(), transaction.lastRevision(), transaction.batch());
        }
        answer(batch, transaction);
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
            if (dialect.isConnectionFailure(e)) {
                disconnect();
                throw new GroupFailure(lost(e), true);
            }
            throw e;
        }
        circuit.close();
        show(batch);
        answer(batch);
    }

    /** Has reads show what is stored; false when that failed for a command. */
    private boolean show(List<PendingWrite<?>> batch) {
        boolean shown = true;
        for (PendingWrite<?> pending : batch) {
            shown &= pending.committed();
        }
        if (!shown) {
            // The next connection begins with comparing memory and store.
            uncertain = true;
            disconnect();
        }
        return shown;
    }

    /** Answers what has taken no revision; no other node has to show anything for it. */
    private static void answer(List<PendingWrite<?>> batch) {
        for (PendingWrite<?> pending : batch) {
            pending.complete();
        }
        announce(batch);
    }

    /** This thread does not wait for the fence: the next group begins at once. */
    private void answer(List<PendingWrite<?>> batch, WriteTransaction transaction) {
        // A copy: the list is used for the next group.
        List<PendingWrite<?>> fenced = List.copyOf(batch);
        fence.committed(transaction.lastRevision(), () -> fenced.forEach(PendingWrite::complete));
        announce(batch);
    }

    /** Comes last, so that a change with very many watchers does not delay the answer to its author. */
    private static void announce(List<PendingWrite<?>> batch) {
        for (PendingWrite<?> pending : batch) {
            pending.announce();
        }
    }

    private WriteConnection connectedForGroup() {
        try {
            return connected();
        } catch (CairnException e) {
            throw new GroupFailure(e);
        }
    }

    private WriteTransaction begin(WriteConnection writer) {
        try {
            dialect.begin(writer);
            return new WriteTransaction(
                    writer,
                    dialect,
                    ThreadLocalRandom.current().nextLong(),
                    dialect.lockRevision(writer),
                    clock.millis(),
                    node);
        } catch (SQLException e) {
            undo(writer, e);
            if (dialect.isConnectionFailure(e)) {
                disconnect();
                throw new GroupFailure(lost(e), true);
            }
            throw new GroupFailure(translate(e));
        }
    }

    private void advanceRevision(WriteTransaction transaction) throws SQLException {
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

    private void commit(WriteConnection writer, WriteTransaction transaction, int commands) {
        try {
            dialect.commit(writer);
        } catch (SQLException e) {
            log.warn("COMMIT of {} writes gave no answer ({}); reading whether it arrived", commands, e.getMessage());
            disconnect();
            if (!arrived(transaction, e)) {
                throw new GroupFailure(translate(e));
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
            Connection jdbc = connected().jdbc();
            // Where the database is still at work on that COMMIT, this waits until it has ended, one way or the other.
            dialect.begin(jdbc);
            dialect.lockRevision(jdbc);
            boolean found = isLogged(jdbc, transaction);
            dialect.rollback(jdbc);
            return found;
        } catch (SQLException | CairnException e) {
            // The next connection is used only after memory was compared with the store.
            uncertain = true;
            disconnect();
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

    private void undo(WriteConnection writer, Exception cause) {
        try {
            dialect.rollback(writer.jdbc());
        } catch (SQLException e) {
            cause.addSuppressed(e);
            disconnect();
        }
    }

    private WriteConnection connected() {
        WriteConnection present = connection;
        if (present != null) {
            return present;
        }
        CairnException away = circuit.cause();
        if (away != null && System.nanoTime() - retryAtNanos < 0) {
            throw away;
        }
        WriteConnection opened = null;
        try {
            opened = new WriteConnection(source.open());
            if (uncertain) {
                onUncertainty.run();
                uncertain = false;
            }
        } catch (SQLException | RuntimeException e) {
            closeQuietly(opened);
            String cause = e instanceof SQLException sql ? dialect.explain(sql) : String.valueOf(e.getMessage());
            CairnException failure =
                    new CairnException(ErrorCode.UNAVAILABLE, circuit.subject() + " cannot be written: " + cause, e);
            retryAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
            circuit.open(failure);
            throw failure;
        } catch (Error e) {
            closeQuietly(opened);
            throw e;
        }
        connection = opened;
        connections.incrementAndGet();
        applied.reconnected();
        circuit.close();
        return opened;
    }

    private void disconnect() {
        WriteConnection present = connection;
        connection = null;
        closeQuietly(present);
    }

    private static void closeQuietly(@Nullable WriteConnection broken) {
        if (broken == null) {
            return;
        }
        try {
            broken.close();
        } catch (SQLException e) {
            log.debug("Closing a broken connection failed", e);
        }
    }

    private CairnException lost(SQLException failure) {
        meters.failed();
        String text = "The write was not stored: " + dialect.explain(failure);
        log.debug(text, failure);
        return new CairnException(ErrorCode.UNAVAILABLE, text, failure);
    }

    private CairnException translate(Exception failure) {
        if (failure instanceof CairnException known) {
            return known;
        }
        if (failure instanceof SQLException sql) {
            meters.failed();
            log.warn("A write failed: {}", dialect.explain(sql));
            log.debug("It failed here", sql);
            return new CairnException(
                    dialect.isBadValue(sql) ? ErrorCode.INVALID_PARAMETER : ErrorCode.UNAVAILABLE,
                    "The write was not stored: " + dialect.explain(sql),
                    failure);
        }
        log.error("A write failed on a defect of the server", failure);
        return new CairnException(
                ErrorCode.INTERNAL, "The write was not stored; the log of the server has the cause: " + failure, failure);
    }

    /** The failure of a whole group, for which no command is to blame. */
    private static final class GroupFailure extends RuntimeException {

        private final CairnException failure;
        private final boolean isUndone;

        GroupFailure(CairnException failure) {
            this(failure, false);
        }

        /** @param isUndone whether the connection was lost before COMMIT was said, so that it has certainly not happened */
        GroupFailure(CairnException failure, boolean isUndone) {
            super(failure);
            this.failure = failure;
            this.isUndone = isUndone;
        }
    }
}
