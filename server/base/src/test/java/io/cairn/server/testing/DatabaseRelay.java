package io.cairn.server.testing;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The way from a node to the database, for tests: it can be cut as by a packet filter or a loss of power, so that neither end gets another
 * byte, and neither side gets an error. Reads statements, so the connections through it are not encrypted. Thread-safe.
 */
public final class DatabaseRelay implements AutoCloseable {

    private static final int BUFFER = 16 * 1024;
    /** Options of each product's driver. */
    private static final Map<String, String> UNENCRYPTED = Map.of(
            "mysql", "?sslMode=DISABLED&allowPublicKeyRetrieval=true",
            "postgresql", "?sslmode=disable");

    private static final int CONNECT_MILLIS = 10_000;

    private final URI database;
    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread created = new Thread(task, "database-relay");
        created.setDaemon(true);
        return created;
    });
    private final CountDownLatch cut = new CountDownLatch(1);
    private final CountDownLatch healed = new CountDownLatch(1);
    private volatile boolean isAnswerCut;
    private volatile String cutAfter = "";
    private volatile long bytesAfter;

    /** @param url of the schema, without options */
    public DatabaseRelay(String url) {
        database = URI.create(url.substring("jdbc:".length()));
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    /** The URL of the schema through this relay; its options may be continued by {@code &}. */
    public String url() {
        return "jdbc:" + database.getScheme() + "://127.0.0.1:" + listening.getLocalPort() + database.getPath()
                + UNENCRYPTED.get(database.getScheme());
    }

    /** Cuts the way now. */
    public void cut() {
        cut.countDown();
    }

    /** Cuts the way when a statement with that text has passed, before its answer does. */
    public void cutAfter(String statement) {
        cutAfter(statement, 0);
    }

    /** As {@link #cutAfter(String)}, after so many bytes of what follows it; the answers before these bytes pass. */
    public void cutAfter(String statement, long bytes) {
        bytesAfter = bytes;
        cutAfter = statement;
    }

    /** Stops the answers of the database and passes on the requests of the node. */
    public void cutAnswers() {
        isAnswerCut = true;
    }

    /** Whether the way is cut, once it was or the time is over. */
    public boolean awaitCut() {
        try {
            return cut.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Bytes that were sent meanwhile pass, and all that follow. */
    public void heal() {
        healed.countDown();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket node = listening.accept();
                sockets.add(node);
                if (listening.isClosed()) {
                    // The relay may have closed the others already.
                    end(node);
                    return;
                }
                threads.execute(() -> open(node));
            } catch (IOException e) {
                if (!listening.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void open(Socket node) {
        passes();
        Socket there = new Socket();
        sockets.add(there);
        try {
            node.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
            there.connect(new java.net.InetSocketAddress(database.getHost(), database.getPort()), CONNECT_MILLIS);
            threads.execute(() -> pump(there, node, false));
            pump(node, there, true);
        } catch (IOException e) {
            end(node, there);
        }
    }

    /** Blocks while the way is cut. */
    private void passes() {
        if (cut.getCount() == 0) {
            try {
                healed.await();
            } catch (InterruptedException e) {
                // The relay is closed.
                Thread.currentThread().interrupt();
            }
        }
    }

    private void pump(Socket from, Socket to, boolean isNode) {
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            byte[] buffer = new byte[BUFFER];
            long left = Long.MAX_VALUE;
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                passes();
                if (!isNode && isAnswerCut) {
                    cut.countDown();
                    passes();
                }
                int passing = (int) Math.min(length, left);
                left -= left == Long.MAX_VALUE ? 0 : passing;
                String awaited = cutAfter;
                boolean isAwaited = isNode
                        && left == Long.MAX_VALUE
                        && !awaited.isEmpty()
                        && new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(awaited);
                if (isAwaited) {
                    left = bytesAfter;
                }
                if (left == 0) {
                    cut.countDown();
                }
                out.write(buffer, 0, passing);
                out.flush();
                if (left == 0) {
                    passes();
                    left = Long.MAX_VALUE;
                    out.write(buffer, passing, length - passing);
                }
            }
        } catch (IOException e) {
            // One end has closed the connection: so does the relay, unless the way is cut.
        } finally {
            passes();
            end(from, to);
        }
    }

    private void end(Socket... ends) {
        for (Socket each : ends) {
            sockets.remove(each);
            try {
                each.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(this::end);
        healed.countDown();
        threads.shutdownNow();
    }
}
