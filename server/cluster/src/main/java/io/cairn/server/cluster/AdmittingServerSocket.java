package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port whose {@link #accept} returns admitted connections alone: their first bytes prove knowledge of the group key. A thread for
 * each connection reads these bytes, and their owner reads them again. So a silent or foreign connection delays no other.
 */
final class AdmittingServerSocket extends ServerSocket {

    /** Limits of unproven connections: of one address, and in all. A further connection ends the oldest. */
    static final int MAX_OF_ADDRESS = 16;

    static final int MAX_IN_ALL = 64;

    private static final int MAX_ADMITTED = 64;

    private static final Duration RETRY = Duration.ofMillis(100);
    private static final Socket CLOSED = new Socket();
    private static final Logger log = LoggerFactory.getLogger(AdmittingServerSocket.class);

    private final Proof proof;
    private final Duration patience;
    private final Strangers strangers;
    private final Thread acceptor;
    private final ThreadPoolExecutor readers;
    private final BlockingQueue<Socket> admitted = new LinkedBlockingQueue<>(MAX_ADMITTED + 1);

    @GuardedBy("unproven")
    private final Deque<Connection> unproven = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean accepts;

    interface Proof {

        /**
         * Reads the proof on a thread of its own.
         *
         * @throws ForeignBytesException for bytes of a stranger
         * @throws IOException when the connection ends before
         */
        void read(DataInputStream in) throws IOException;
    }

    /** Receives the refused connections, except connections closed by the other side. Called by several threads. */
    interface Strangers {

        void foreign(InetAddress from, ForeignBytesException cause);

        void silent(InetAddress from);

        /** Too many connections are unproven; the oldest, from this address, was closed. */
        void crowded(InetAddress from);
    }

    static final class ForeignBytesException extends IOException {

        private static final long serialVersionUID = 1;

        ForeignBytesException(String message) {
            super(message);
        }
    }

    /**
     * @param patience the time for the proof; a member sends it at once
     * @param threads makes the accepting thread, and a thread for each unproven connection
     */
    AdmittingServerSocket(Proof proof, Duration patience, Strangers strangers, ThreadFactory threads)
            throws IOException {
        this.proof = proof;
        this.patience = patience;
        this.strangers = strangers;
        this.acceptor = threads.newThread(this::acceptAll);
        // A closed connection needs its thread for a moment longer.
        this.readers =
                new ThreadPoolExecutor(0, 2 * MAX_IN_ALL, 2, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    /** Blocks until a connection is admitted. */
    @Override
    public Socket accept() throws IOException {
        synchronized (this) {
            if (!accepts && !isClosed()) {
                accepts = true;
                acceptor.start();
            }
        }
        try {
            Socket next = admitted.take();
            if (next == CLOSED) {
                admitted.add(CLOSED);
                throw new SocketException("The port is closed");
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SocketException("Interrupted while no connection was admitted");
        }
    }

    private void acceptAll() {
        while (!isClosed()) {
            Connection connection = new Connection();
            try {
                implAccept(connection);
            } catch (IOException e) {
                if (!isClosed()) {
                    log.warn(
                            "No connection is accepted on the group port; the next attempt follows in {} ms: {}",
                            RETRY.toMillis(),
                            e.toString());
                    pause();
                }
                continue;
            }
            examine(connection);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY.toMillis());
        } catch (InterruptedException e) {
            // Only the end of the JVM interrupts this thread.
            Thread.currentThread().interrupt();
        }
    }

    private void examine(Connection connection) {
        Connection surplus;
        synchronized (unproven) {
            unproven.add(connection);
            surplus = surplus(connection.getInetAddress());
        }
        if (surplus != null) {
            strangers.crowded(surplus.getInetAddress());
            close(surplus);
        }
        try {
            readers.execute(() -> readProof(connection));
        } catch (RejectedExecutionException e) {
            remove(connection);
            close(connection);
        }
    }

    /** Removes the connection that makes room after a new one from this address; null when there is room. */
    @GuardedBy("unproven")
    private @Nullable Connection surplus(InetAddress newest) {
        long ofAddress = unproven.stream()
                .filter(each -> each.getInetAddress().equals(newest))
                .count();
        if (ofAddress <= MAX_OF_ADDRESS && unproven.size() <= MAX_IN_ALL) {
            return null;
        }
        for (Iterator<Connection> all = unproven.iterator(); all.hasNext(); ) {
            Connection oldest = all.next();
            if (ofAddress <= MAX_OF_ADDRESS || oldest.getInetAddress().equals(newest)) {
                all.remove();
                return oldest;
            }
        }
        return null;
    }

    private boolean remove(Connection connection) {
        synchronized (unproven) {
            return unproven.remove(connection);
        }
    }

    private void readProof(Connection connection) {
        boolean isAdmitted = false;
        try {
            connection.prove(proof, patience);
            // The port may be closed at this moment.
            isAdmitted = remove(connection) && admitted.offer(connection) && !isClosed();
        } catch (ForeignBytesException e) {
            strangers.foreign(connection.getInetAddress(), e);
        } catch (SocketTimeoutException e) {
            strangers.silent(connection.getInetAddress());
        } catch (IOException e) {
            // Such as a probe of the port, or a connection that made room.
            log.debug("A connection from {} has ended before its first message", connection.getInetAddress(), e);
        } finally {
            remove(connection);
            if (!isAdmitted) {
                close(connection);
            }
        }
    }

    private static void close(Socket connection) {
        try {
            connection.close();
        } catch (IOException e) {
            log.debug("Closing a connection failed", e);
        }
    }

    /** Also ends all connections that the owner has not accepted. */
    @Override
    public void close() throws IOException {
        super.close();
        readers.shutdown();
        synchronized (unproven) {
            unproven.forEach(AdmittingServerSocket::close);
        }
        for (Socket each = admitted.poll(); each != null; each = admitted.poll()) {
            close(each);
        }
        if (!admitted.offer(CLOSED)) {
            log.debug("A connection was admitted while the port was closed");
        }
    }

    private static final class Connection extends Socket {

        private volatile @Nullable InputStream repeated;

        void prove(Proof proof, Duration patience) throws IOException {
            InputStream own = super.getInputStream();
            Recording recording = new Recording(this, own, System.nanoTime() + patience.toNanos());
            proof.read(new DataInputStream(recording));
            setSoTimeout(0);
            repeated = new SequenceInputStream(new ByteArrayInputStream(recording.bytes.toByteArray()), own);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            InputStream whole = repeated;
            return whole == null ? super.getInputStream() : whole;
        }
    }

    /** Records the bytes read, and ends at a deadline, however slowly they arrive. */
    private static final class Recording extends InputStream {

        private final Socket socket;
        private final InputStream in;
        private final long deadlineNanos;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Recording(Socket socket, InputStream in, long deadlineNanos) {
            this.socket = socket;
            this.in = in;
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
            if (left <= 0) {
                throw new SocketTimeoutException("no whole message in time");
            }
            socket.setSoTimeout((int) left);
            int read = in.read(into, offset, length);
            if (read > 0) {
                bytes.write(into, offset, read);
            }
            return read;
        }
    }
}
