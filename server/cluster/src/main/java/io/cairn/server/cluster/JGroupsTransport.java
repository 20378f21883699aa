package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.cluster.AdmittingServerSocket.ForeignBytesException;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP with whole frames encrypted and authenticated. {@code SYM_ENCRYPT} of JGroups leaves headers and empty messages in clear
 * text, and parses bytes of strangers. JGroups receives a connection after its proof, because its one accepting thread would wait
 * for each silent connection.
 */
final class JGroupsTransport extends TCP {

    private static final Logger logger = LoggerFactory.getLogger(JGroupsTransport.class);

    private static final int MAX_OPENING = 16;
    private static final int MAX_WAITING_FRAMES = 64;
    private static final Duration STRANGER_INTERVAL = Duration.ofHours(1);
    private static final int MAX_STRANGERS = 16;
    private static final int MAX_ADDRESS_BYTES = 64;
    /** Nodes with another key try to connect every few seconds. */
    private static final Duration OTHER_KEY_IS_NEWS = Duration.ofSeconds(30);

    private static final int MAX_OTHER_KEYS = 64;

    private final FrameCipher cipher;
    private final LogThrottle strangers = new LogThrottle(STRANGER_INTERVAL, MAX_STRANGERS, Clock.systemUTC());

    /** The last refusal of a message with another key, by the address that its sender names. */
    @GuardedBy("otherKeys")
    private final Map<InetSocketAddress, Long> otherKeys = new HashMap<>();

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

    /** The bundler would disable the lock, but threads that open connections send, too. */
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
     * The one sending thread must not wait for a host without an answer, so others open connections. A full queue drops the frame;
     * the protocols above send it again.
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

    @Override
    public void start() throws Exception {
        setSocketFactory(new DefaultSocketFactory() {
            @Override
            public ServerSocket createServerSocket(String service) throws IOException {
                return new AdmittingServerSocket(
                        JGroupsTransport.this::readProof,
                        Duration.ofMillis(getPeerAddrReadTimeout()),
                        new Strangers(),
                        threads::newAdmission);
            }
        });
        super.start();
    }

    /** Reads the handshake of JGroups and the first frame, which a member sends at once. */
    private void readProof(DataInputStream in) throws IOException {
        if (!Arrays.equals(Connection.cookie, whole(in, Connection.cookie.length))) {
            throw new ForeignBytesException("it does not speak the protocol of the group");
        }
        in.readShort();
        int addressBytes = in.readUnsignedShort();
        if (addressBytes > MAX_ADDRESS_BYTES) {
            throw new ForeignBytesException("it does not speak the protocol of the group");
        }
        byte[] address = whole(in, addressBytes);
        int length = in.readInt();
        if (length < 0) {
            throw closedByMember();
        }
        if (length < FrameCipher.OVERHEAD_BYTES || length > getMaxLength()) {
            throw otherKey(address);
        }
        try {
            cipher.open(whole(in, length));
        } catch (GeneralSecurityException e) {
            throw otherKey(address);
        }
    }

    /** Newer versions of JGroups send a negative length before they close a connection. */
    private static EOFException closedByMember() {
        return new EOFException("closed by the member");
    }

    /** The bytes, for which memory is taken as they arrive. */
    private static byte[] whole(DataInputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("closed after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
    }

    private ForeignBytesException otherKey(byte[] statedAddress) {
        try {
            IpAddress stated = new IpAddress();
            stated.readFrom(new ByteArrayDataInputStream(statedAddress));
            noteOtherKey(new InetSocketAddress(stated.getIpAddress(), stated.getPort()));
        } catch (IOException | RuntimeException e) {
            log.debug("%s: a stranger states an address that cannot be read: %s", local_addr, e);
        }
        return new ForeignBytesException("its first message is not encrypted with the key of this group");
    }

    private void noteOtherKey(InetSocketAddress from) {
        long now = System.nanoTime();
        synchronized (otherKeys) {
            otherKeys.values().removeIf(at -> now - at > OTHER_KEY_IS_NEWS.toNanos());
            if (otherKeys.size() < MAX_OTHER_KEYS || otherKeys.containsKey(from)) {
                otherKeys.put(from, now);
            }
        }
    }

    /** As {@link GroupChannel#otherKeys}. */
    Set<InetSocketAddress> otherKeys() {
        long now = System.nanoTime();
        synchronized (otherKeys) {
            otherKeys.values().removeIf(at -> now - at > OTHER_KEY_IS_NEWS.toNanos());
            return Set.copyOf(otherKeys.keySet());
        }
    }

    private final class Strangers implements AdmittingServerSocket.Strangers {

        @Override
        public void foreign(InetAddress from, ForeignBytesException cause) {
            warn(
                    from,
                    cause.getMessage()
                            + ". A node with another database or cairn.cluster.key opens it, or another program");
        }

        @Override
        public void silent(InetAddress from) {
            warn(
                    from,
                    "it has sent no whole message within " + getPeerAddrReadTimeout()
                            + " ms, which a member does at once. Another program opens it, or a node that hangs");
        }

        @Override
        public void crowded(InetAddress from) {
            warn(
                    from,
                    "others were opened after it, and it has sent no whole message. More than "
                            + AdmittingServerSocket.MAX_OF_ADDRESS + " such connections of one address, or "
                            + AdmittingServerSocket.MAX_IN_ALL + " in all, are not kept. Another program opens them");
        }

        private void warn(InetAddress from, String why) {
            String host = from.getHostAddress();
            if (strangers.admits(host)) {
                logger.warn(
                        "Closed a connection on the group port from {}: {}; further ones are closed without a line for {}"
                                + " minutes. Only the other nodes should reach this port",
                        host,
                        why,
                        STRANGER_INTERVAL.toMinutes());
            }
        }
    }

    /** Ends a stranger's connection by an exception that the reading thread ignores. */
    @Override
    public void receive(Address from, DataInput in, int length) throws Exception {
        if (length < 0) {
            throw closedByMember();
        }
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

        Thread newAdmission(Runnable task) {
            return newThread(task, "admission");
        }

        @Override
        public boolean useVirtualThreads() {
            return false;
        }

        @Override
        public void setPattern(String pattern) {
            // See setPattern.
        }

        @Override
        public void setIncludeClusterName(boolean include) {}

        @Override
        public void setClusterName(String name) {}

        @Override
        public void setAddress(String address) {}

        @Override
        public void renameThread(String name, Thread thread) {}
    }
}
