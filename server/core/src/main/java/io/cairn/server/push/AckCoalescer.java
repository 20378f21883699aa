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
 * Makes an event loop that awaits many acknowledgements pause for 0.5 ms between its reads (a "rest"). A change that is
 * pushed to hundreds of clients returns hundreds of acknowledgements. Each of them would wake the loop, often at the cost
 * of the thread that is about to send the next push; after a pause they are read together.
 *
 * <p>A loop pauses only while acknowledgements arrive and are most of its input. If they arrive one by one, as from
 * distant clients, it soon waits in the selector as usual. A task for the loop ends the pause at once, so only its
 * sockets are delayed, by at most one pause. Wraps the I/O handler of one loop. All methods except {@link #wakeup} are
 * for that loop only.
 */
public final class AckCoalescer implements IoHandler {

    static final long REST_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    /** A loop that awaits fewer acknowledgements does not pause. */
    static final int MANY = 16;
    /** A pause that collects fewer acknowledgements was useless. */
    static final int FEW = 4;
    /** After so many useless pauses there are none until something is pushed. */
    static final int IN_VAIN = 3;

    private static final FastThreadLocal<@Nullable AckCoalescer> OF_LOOP = new FastThreadLocal<>();

    private final IoHandler io;
    private final Parking parking;
    private volatile @Nullable Thread resting;
    private int awaited;
    private int arrived;
    /** Number of ready events since the loop could last have slept, acknowledgements included. */
    private int read;

    private boolean isReading;
    private int inVain;

    /** How a thread pauses. */
    @FunctionalInterface
    interface Parking {
        void park(Object blocker, long nanos);
    }

    AckCoalescer(IoHandler io, Parking parking) {
        this.io = io;
        this.parking = parking;
    }

    /** Makes the I/O handler of each loop, which pauses as described above. Such loops cannot be suspended. */
    public static IoHandlerFactory over(IoHandlerFactory factory) {
        return executor -> new AckCoalescer(factory.newHandler(executor), LockSupport::parkNanos);
    }

    /** The instance of the event loop that calls; null on any other thread. */
    static @Nullable AckCoalescer ofThisLoop() {
        return OF_LOOP.getIfExists();
    }

    /** Changes the number of awaited acknowledgements. */
    void await(int change) {
        awaited += change;
        // A push that is sent because an acknowledgement made room does not reset the count of useless pauses.
        if (change > 0 && !isReading) {
            inVain = 0;
        }
    }

    /** An acknowledgement has arrived. */
    void arrived() {
        arrived++;
    }

    /** The number of acknowledgements that the loop awaits. */
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
        } else if (rested) {
            inVain++;
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

    /** Pauses; false if a task prevents the pause or ends it. */
    private boolean rest(IoHandlerContext context) {
        long nanos = Math.min(REST_NANOS, context.delayNanos(System.nanoTime()));
        if (nanos <= 0) {
            return false;
        }
        resting = Thread.currentThread();
        // A thread that adds a task from here on sees the field above and wakes this loop; a task that was added before
        // is seen here.
        if (context.canBlock()) {
            parking.park(this, nanos);
        }
        resting = null;
        return context.canBlock();
    }

    @Override
    public void wakeup() {
        // This comes first: it is a memory fence between adding the task and reading the field. It makes no system call
        // while the loop pauses.
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
