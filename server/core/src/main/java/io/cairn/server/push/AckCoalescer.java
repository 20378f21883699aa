package io.cairn.server.push;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets an event loop that awaits many answers to pushes rest between its reads, for half a millisecond at first and for
 * up to two while the rests bring many. A change that goes to hundreds of clients comes back as hundreds of answers, and
 * each would wake the loop by itself, often at the cost of the very thread that is about to send the next one; after a
 * rest they are read together.
 *
 * <p>A loop rests only while answers do arrive and are most of what is read; where they come one by one, as from distant clients,
 * it soon sleeps in the selector as ever. A task for the loop ends the rest at once, so only its sockets wait, no longer
 * than one rest. Wraps what does the I/O of one loop. All but {@link #wakeup} is for that loop alone.
 */
public final class AckCoalescer implements IoHandler {

    static final long SHORTEST_REST_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    static final long LONGEST_REST_NANOS = 4 * SHORTEST_REST_NANOS;
    /** A loop that awaits fewer answers does not rest. */
    static final int MANY = 16;
    /** A rest that brings fewer answers was in vain; after one that was not, the next is twice as long. */
    static final int FEW = 4;
    /** After so many rests in vain there are no more until something is pushed. */
    static final int IN_VAIN = 3;

    private static final FastThreadLocal<@Nullable AckCoalescer> OF_LOOP = new FastThreadLocal<>();

    private final IoHandler io;
    private final Parking parking;
    private volatile @Nullable Thread resting;
    private int awaited;
    private int arrived;
    /** What was ready since the loop could have slept, answers among it. */
    private int read;

    private boolean isReading;
    private int inVain;
    private long restNanos = SHORTEST_REST_NANOS;

    /** How a thread rests. */
    @FunctionalInterface
    interface Parking {
        void park(Object blocker, long nanos);
    }

    AckCoalescer(IoHandler io, Parking parking) {
        this.io = io;
        this.parking = parking;
    }

    /** Makes what does the I/O of each loop, resting as described above. Such loops cannot be suspended. */
    public static IoHandlerFactory over(IoHandlerFactory factory) {
        return executor -> new AckCoalescer(factory.newHandler(executor), LockSupport::parkNanos);
    }

    /** That of the event loop that asks; null on any other thread. */
    static @Nullable AckCoalescer ofThisLoop() {
        return OF_LOOP.getIfExists();
    }

    /** So many more answers are awaited, or fewer where it is negative. */
    void await(int change) {
        awaited += change;
        // A push that an answer made room for does not make up for rests in vain.
        if (change > 0 && !isReading) {
            inVain = 0;
        }
    }

    /** One has arrived. */
    void arrived() {
        arrived++;
    }

    /** How many answers the loop awaits. */
    int awaited() {
        return awaited;
    }

    @Override
    public int run(IoHandlerContext context) {
        if (!context.canBlock()) {
            int ready = read(context);
            read += ready;
            return ready;
        }
        boolean rested = awaited >= MANY && arrived > 0 && arrived * 2 >= read && inVain < IN_VAIN && rest(context);
        arrived = 0;
        read = read(context);
        boolean wasWorthIt = arrived >= FEW;
        if (wasWorthIt) {
            inVain = 0;
        }
        if (rested) {
            inVain += wasWorthIt ? 0 : 1;
            restNanos = wasWorthIt ? Math.min(2 * restNanos, LONGEST_REST_NANOS) : SHORTEST_REST_NANOS;
        }
        return read;
    }

    private int read(IoHandlerContext context) {
        isReading = true;
        try {
            return io.run(context);
        } finally {
            isReading = false;
        }
    }

    /** False when a task keeps it from resting, or ends the rest. */
    private boolean rest(IoHandlerContext context) {
        long nanos = Math.min(restNanos, context.delayNanos(System.nanoTime()));
        if (nanos <= 0) {
            return false;
        }
        resting = Thread.currentThread();
        // Whoever leaves a task from here on sees that the loop rests; one that was left before is seen now.
        if (context.canBlock()) {
            parking.park(this, nanos);
        }
        resting = null;
        return context.canBlock();
    }

    @Override
    public void wakeup() {
        // First, for it is a fence between the task and the look; and it writes nothing while the loop rests.
        io.wakeup();
        Thread thread = resting;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void initialize() {
        OF_LOOP.set(this);
        io.initialize();
    }

    @Override
    public void prepareToDestroy() {
        io.prepareToDestroy();
    }

    @Override
    public void destroy() {
        io.destroy();
        OF_LOOP.remove();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return io.register(handle);
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return io.isCompatible(handleType);
    }
}
