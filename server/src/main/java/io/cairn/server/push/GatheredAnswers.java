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
 * Lets an event loop that awaits many answers to pushes rest for half a millisecond between its reads. A change that goes
 * to hundreds of clients comes back as hundreds of answers, and each would wake the loop by itself, often at the cost of
 * the very thread that is about to send the next one; after a rest they are read together.
 *
 * <p>A loop rests only while answers do arrive, so one that talks to distant clients sleeps in the selector as ever; and a
 * task for it ends the rest at once, so only bytes from clients wait, no longer than one rest. Wraps what does the I/O of
 * one loop. All but {@link #wakeup} is for that loop alone.
 */
public final class GatheredAnswers implements IoHandler {

    static final long REST_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    /** A loop that awaits fewer answers does not rest. */
    static final int MANY = 16;
    /** A rest that brings fewer answers was in vain. */
    static final int FEW = 4;
    /** After so many rests in vain there are no more until something is pushed. */
    static final int IN_VAIN = 3;

    private static final FastThreadLocal<@Nullable GatheredAnswers> OF_LOOP = new FastThreadLocal<>();

    private final IoHandler io;
    private final Parking parking;
    private volatile @Nullable Thread resting;
    private int awaited;
    private int arrived;
    private int inVain;

    /** How a thread rests. */
    @FunctionalInterface
    interface Parking {
        void park(Object blocker, long nanos);
    }

    GatheredAnswers(IoHandler io, Parking parking) {
        this.io = io;
        this.parking = parking;
    }

    /** Makes what does the I/O of each loop, resting as described above. */
    public static IoHandlerFactory over(IoHandlerFactory factory) {
        return executor -> new GatheredAnswers(factory.newHandler(executor), LockSupport::parkNanos);
    }

    /** That of the event loop that asks; null on any other thread. */
    static @Nullable GatheredAnswers ofThisLoop() {
        return OF_LOOP.getIfExists();
    }

    /** So many more answers are awaited, or fewer where it is negative. */
    void await(int change) {
        awaited += change;
        if (change > 0) {
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
            return io.run(context);
        }
        boolean rests = awaited >= MANY && arrived > 0 && inVain < IN_VAIN;
        if (rests) {
            rest(context);
        }
        arrived = 0;
        int ready = io.run(context);
        if (rests) {
            inVain = arrived < FEW ? inVain + 1 : 0;
        }
        return ready;
    }

    private void rest(IoHandlerContext context) {
        long nanos = Math.min(REST_NANOS, context.delayNanos(System.nanoTime()));
        resting = Thread.currentThread();
        // Whoever leaves a task from here on sees that the loop rests; one that was left before is seen now.
        if (nanos > 0 && context.canBlock()) {
            parking.park(this, nanos);
        }
        resting = null;
    }

    @Override
    public void wakeup() {
        Thread thread = resting;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
        io.wakeup();
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
