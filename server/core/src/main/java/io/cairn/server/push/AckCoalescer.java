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
 * Makes an event loop with many awaited acknowledgements pause for 0.5 ms between reads. A change for hundreds of
 * clients returns hundreds of acknowledgements. Each would wake the loop, often at the cost of the thread about to send the next
 * push; after a pause they are read together.
 *
 * <p>A loop pauses only while acknowledgements arrive and are most of its input. If they arrive singly, as from distant clients, it
 * soon waits in the selector as usual. A task for the loop ends the pause, so only its sockets are delayed, by at most one pause.
 * Wraps one loop's I/O handler; all methods except {@link #wakeup} are for that loop only.
 */
public final class AckCoalescer implements IoHandler {

    static final long REST_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    /** With fewer awaited acknowledgements a loop does not pause. */
    static final int MANY = 16;
    /** A pause with fewer acknowledgements was useless. */
    static final int FEW = 4;
    /** After so many useless pauses, no pause follows until the next push. */
    static final int IN_VAIN = 3;

    private static final FastThreadLocal<@Nullable AckCoalescer> OF_LOOP = new FastThreadLocal<>();

    private final IoHandler io;
    private final Parking parking;
    private volatile @Nullable Thread pausing;
    private int awaited;
    private int arrived;
    /** Ready events since the loop could last have slept, acknowledgements included. */
    private int read;

    private boolean isReading;
    private int inVain;

    @FunctionalInterface
    interface Parking {
        void park(Object blocker, long nanos);
    }

    AckCoalescer(IoHandler io, Parking parking) {
        this.io = io;
        this.parking = parking;
    }

    /** Makes the pausing I/O handler of each loop. Such loops cannot be suspended. */
    public static IoHandlerFactory over(IoHandlerFactory factory) {
        return executor -> new AckCoalescer(factory.newHandler(executor), LockSupport::parkNanos);
    }

    /** The calling event loop's instance, or null. */
    static @Nullable AckCoalescer ofThisLoop() {
        return OF_LOOP.getIfExists();
    }

    /** Changes the number of awaited acknowledgements. */
    void await(int change) {
        awaited += change;
        // A push sent into the room of an acknowledgement does not reset the count of useless pauses.
        if (change > 0 && !isReading) {
            inVain = 0;
        }
    }

    void arrived() {
        arrived++;
    }

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
        boolean paused = awaited >= MANY && arrived > 0 && arrived * 2 >= read && inVain < IN_VAIN && pause(context);
        arrived = 0;
        read = read(context);
        boolean wasWorthIt = arrived >= FEW;
        if (wasWorthIt) {
            inVain = 0;
        } else if (paused) {
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

    /** Pauses; false if a task prevents or ends the pause. */
    private boolean pause(IoHandlerContext context) {
        long nanos = Math.min(REST_NANOS, context.delayNanos(System.nanoTime()));
        if (nanos <= 0) {
            return false;
        }
        pausing = Thread.currentThread();
        // A thread that adds a task from here on sees the field above and wakes this loop; an earlier task is seen
        // here.
        if (context.canBlock()) {
            parking.park(this, nanos);
        }
        pausing = null;
        return context.canBlock();
    }

    @Override
    public void wakeup() {
        // First: a memory fence between adding the task and reading the field. No system call while the loop pauses.
        io.wakeup();
        Thread thread = pausing;
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
