package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP with whole frames encrypted and authenticated. {@code SYM_ENCRYPT} of JGroups would leave headers and messages without a
 * body in clear text, and would parse what strangers send.
 */
final class JGroupsTransport extends TCP {

    private static final Logger logger = LoggerFactory.getLogger(JGroupsTransport.class);

    private static final int MAX_OPENING = 16;
    private static final int MAX_WAITING_FRAMES = 64;
    private static final Duration STRANGER_INTERVAL = Duration.ofHours(1);
    private static final int MAX_STRANGERS = 16;

    private final FrameCipher cipher;
    private final LogThrottle strangers = new LogThrottle(STRANGER_INTERVAL, MAX_STRANGERS, Clock.systemUTC());
    private final Threads threads = new Threads();

    @GuardedBy("waiting")
    private final Map<Address, Queue<byte[]>> waiting = new HashMap<>();

    private final ThreadPoolExecutor openers =
            new ThreadPoolExecutor(0, MAX_OPENING, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads::newOpener);

    JGroupsTransport(FrameCipher cipher) {
        this.cipher = cipher;
        setId(ClassConfigurator.getProtocolId(TCP.class));
        setThreadFactory(threads);
    }

    /** The bundler would switch the lock off, but the threads that open connections send, too. */
    @Override
    public TCP useLockToSend(boolean ignored) {
        return super.useLockToSend(true);
    }

    @Override
    public void send(Address to, byte[] text, int offset, int length) throws Exception {
        byte[] frame = cipher.seal(text, offset, length);
        if (srv.connectionEstablishedTo(to)) {
            super.send(to, frame, 0, frame.length);
        } else {
            sendWhenOpen(to, frame);
        }
    }

    /**
     * One thread sends to all members. It must not wait for a host that does not answer, so others open connections. What does not
     * fit the queue is dropped: the protocols above send it again.
     */
    private void sendWhenOpen(Address to, byte[] frame) {
        boolean first;
        synchronized (waiting) {
            Queue<byte[]> frames = waiting.get(to);
            first = frames == null;
            if (frames == null) {
                frames = new ArrayDeque<>();
                waiting.put(to, frames);
            }
            if (frames.size() < MAX_WAITING_FRAMES) {
                frames.add(frame);
            }
        }
        if (first) {
            try {
                openers.execute(() -> sendWaiting(to));
            } catch (RejectedExecutionException e) {
                forget(to);
                log.debug("%s: no thread is free to open a connection to %s; it is tried again later", local_addr, to);
            }
        }
    }

    private void sendWaiting(Address to) {
        try {
            for (byte[] frame = nextWaiting(to); frame != null; frame = nextWaiting(to)) {
                super.send(to, frame, 0, frame.length);
            }
        } catch (Exception e) {
            forget(to);
            log.debug("%s: no connection to %s: %s", local_addr, to, e);
        }
    }

    private byte @Nullable [] nextWaiting(Address to) {
        synchronized (waiting) {
            Queue<byte[]> frames = waiting.get(to);
            byte[] next = frames == null ? null : frames.poll();
            if (next == null) {
                waiting.remove(to);
            }
            return next;
        }
    }

    private void forget(Address to) {
        synchronized (waiting) {
            waiting.remove(to);
        }
    }

    /** Ends the connection of a stranger by an exception that the reading thread passes over in silence. */
    @Override
    public void receive(Address from, DataInput in, int length) throws Exception {
        if (length < FrameCipher.OVERHEAD_BYTES) {
            throw refused(from);
        }
        byte[] frame = new byte[length];
        in.readFully(frame);
        byte[] text;
        try {
            text = cipher.open(frame);
        } catch (GeneralSecurityException e) {
            throw refused(from);
        }
        super.receive(from, new ByteArrayDataInputStream(text), text.length);
    }

    private IOException refused(Address from) {
        String host = from instanceof IpAddress ip ? ip.getIpAddress().getHostAddress() : from.toString();
        if (strangers.admits(host)) {
            logger.warn(
                    "Rejected a message on the group port from {} (the address that the sender states): it is not"
                            + " encrypted with the key of this group. A node with another database or cairn.cluster.key sends it, or another program; its connection"
                            + " was closed, and further ones are closed without a line for {} minutes",
                    host,
                    STRANGER_INTERVAL.toMinutes());
        }
        return new EOFException("not encrypted with the key of this group");
    }

    @Override
    public void stop() {
        openers.shutdownNow();
        super.stop();
    }

    /** Names all threads of the group alike: {@code cairn-group-3 TQ-Bundler}. */
    private static final class Threads implements ThreadFactory {

        private final AtomicInteger count = new AtomicInteger();

        @Override
        public Thread newThread(Runnable task, String job) {
            Thread thread = new Thread(task, "cairn-group-" + count.incrementAndGet() + ' ' + job);
            thread.setDaemon(true);
            return thread;
        }

        @Override
        public Thread newThread(Runnable task) {
            return newThread(task, "worker");
        }

        Thread newOpener(Runnable task) {
            return newThread(task, "opener");
        }

        @Override
        public boolean useVirtualThreads() {
            return false;
        }

        @Override
        public void setPattern(String pattern) {
            // A thread keeps the name that it begins with.
        }

        @Override
        public void setIncludeClusterName(boolean include) {
            // See setPattern.
        }

        @Override
        public void setClusterName(String name) {
            // See setPattern.
        }

        @Override
        public void setAddress(String address) {
            // See setPattern.
        }

        @Override
        public void renameThread(String name, Thread thread) {
            // See setPattern.
        }
    }
}
