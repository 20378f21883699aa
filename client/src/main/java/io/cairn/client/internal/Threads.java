package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.client.connection.NoRightException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The daemon threads of a client, started on first use: three for I/O, one timer, one for connecting and writing files, one
 * for listeners.
 */
public final class Threads implements AutoCloseable {

    public static final int MOST = 6;

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final int IO_THREADS = 3;
    /** Drops tasks submitted after the end, and fails the future of a dropped read. */
    private static final RejectedExecutionHandler AFTER_THE_END = (task, pool) -> drop(task);

    private final ThreadPoolExecutor transport;
    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor control;
    private final ThreadPoolExecutor callbacks;

    public Threads(String name) {
        transport = pool(IO_THREADS, new ThreadGroupOfClient(name + "-io-"));
        timer = new ScheduledThreadPoolExecutor(1, new ThreadGroupOfClient(name + "-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(AFTER_THE_END);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        control = pool(1, new ThreadGroupOfClient(name + "-control-"));
        callbacks = pool(1, new ThreadGroupOfClient(name + "-callback-"));
    }

    private static ThreadPoolExecutor pool(int threads, ThreadFactory factory) {
        return new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory, AFTER_THE_END);
    }

    private static void drop(Runnable task) {
        if (task instanceof Answer<?> answer) {
            answer.future.completeExceptionally(closed());
        }
    }

    private static CairnException closed() {
        return new CairnException(ErrorCode.UNAVAILABLE, "The client is closed");
    }

    /** Runs network I/O; its tasks may block. */
    public ExecutorService transport() {
        return transport;
    }

    public ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    /** Runs slow tasks in sequence: connecting, logging in, writing files. */
    public ExecutorService control() {
        return control;
    }

    /** Calls listeners without an executor of their own. */
    public ExecutorService callbacks() {
        return callbacks;
    }

    /** Reads a file without waiting for attempts to connect; fails with {@code UNAVAILABLE} when the client is closed. */
    public <T> CompletableFuture<T> read(Supplier<T> file) {
        Answer<T> answer = new Answer<>(file, new CompletableFuture<>());
        transport.execute(answer);
        return answer.future;
    }

    /** Runs a task repeatedly with this pause; logs its exceptions. */
    public void repeat(Duration pause, Runnable task) {
        long millis = Math.max(1, pause.toMillis());
        // The random start spreads the clients of a restarted server.
        long first = millis / 2 + ThreadLocalRandom.current().nextLong(millis / 2 + 1);
        timer.scheduleWithFixedDelay(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException | LinkageError e) {
                        LOG.log(System.Logger.Level.ERROR, "A task of the client has failed, and is repeated", e);
                    }
                },
                first,
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** @throws IllegalStateException on a thread that must complete the awaited future or its timeout */
    public void checkMayBlock() {
        Thread current = Thread.currentThread();
        if (owns(transport, current) || owns(timer, current) || owns(control, current)) {
            throw new IllegalStateException("This call waits for the server, on a thread that the client needs for it ("
                    + current.getName()
                    + "): use the Async methods here, or thenApplyAsync and the like with an executor of your own");
        }
    }

    private static boolean owns(ThreadPoolExecutor pool, Thread thread) {
        return ((ThreadGroupOfClient) pool.getThreadFactory()).owns(thread);
    }

    /**
     * Waits for a future, which must have its own timeout.
     *
     * @throws CairnException the failure of the future
     * @throws IllegalStateException on a thread of the client, except on the callback thread
     */
    public <T> T await(CompletableFuture<T> future) {
        checkMayBlock();
        try {
            return get(future);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CairnException(ErrorCode.UNAVAILABLE, "Interrupted while waiting for the server", e);
        }
    }

    /** Waits up to this time limit; false after a timeout or a failure. */
    public boolean await(CompletableFuture<?> future, Duration atMost) {
        checkMayBlock();
        try {
            future.handle((value, failure) -> true).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            return !future.isCompletedExceptionally();
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CairnException(ErrorCode.UNAVAILABLE, "Interrupted while waiting for the server", e);
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof NoRightException refused) {
                throw new NoRightException(refused.text(), refused);
            }
            if (e.getCause() instanceof CairnException known) {
                // A new exception contains the stack trace of the waiting thread.
                throw new CairnException(known.code(), known.text(), known);
            }
            throw new CairnException(ErrorCode.INTERNAL, String.valueOf(e.getCause()), e.getCause());
        } catch (CancellationException e) {
            throw new CairnException(ErrorCode.UNAVAILABLE, "The operation was cancelled", e);
        }
    }

    /** Restores the thread names, which the transport overwrites. */
    public void restoreNames() {
        ((ThreadGroupOfClient) transport.getThreadFactory()).restoreNames();
    }

    /** Waits up to 5 s for running tasks, but never for the calling thread. */
    @Override
    public void close() {
        List<ThreadPoolExecutor> all = List.of(control, timer, callbacks, transport);
        all.forEach(pool -> pool.shutdownNow().forEach(Threads::drop));
        long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        for (ThreadPoolExecutor pool : all) {
            if (owns(pool, Thread.currentThread())) {
                continue;
            }
            try {
                if (!pool.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "A thread of {0} is still busy and ends when it is done",
                            pool.getThreadFactory());
                } else {
                    // The last thread of a pool ends shortly after the pool.
                    ((ThreadGroupOfClient) pool.getThreadFactory()).join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private record Answer<T>(Supplier<T> work, CompletableFuture<T> future) implements Runnable {

        @Override
        public void run() {
            try {
                future.complete(work.get());
            } catch (RuntimeException | LinkageError e) {
                future.completeExceptionally(e);
            }
        }
    }

    private static final class ThreadGroupOfClient implements ThreadFactory {

        private final String prefix;
        private final AtomicInteger last = new AtomicInteger();
        private final List<Owned> threads = new CopyOnWriteArrayList<>();

        ThreadGroupOfClient(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public Thread newThread(Runnable task) {
            Owned thread = new Owned(task, prefix + last.incrementAndGet(), this);
            threads.removeIf(one -> one.getState() == Thread.State.TERMINATED);
            threads.add(thread);
            return thread;
        }

        void restoreNames() {
            threads.forEach(Owned::restoreName);
        }

        void join() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join();
            }
        }

        boolean owns(Thread thread) {
            return thread instanceof Owned owned && owned.owner == this;
        }

        @Override
        public String toString() {
            return prefix;
        }
    }

    private static final class Owned extends Thread {

        private final ThreadGroupOfClient owner;
        private final String ownName;

        Owned(Runnable task, String name, ThreadGroupOfClient owner) {
            super(task, name);
            this.owner = owner;
            ownName = name;
            setDaemon(true);
        }

        void restoreName() {
            if (!getName().equals(ownName)) {
                setName(ownName);
            }
        }
    }
}
