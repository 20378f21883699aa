package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * The connections of the nodes of a cluster in this JVM with each other and with the database, so that a test can cut a
 * node off. The group port of each node is a relay. The node itself listens on its own loopback address, from which it
 * also connects to the others, so the relay knows the connecting node. Works where all of 127.0.0.0/8 is this machine,
 * as on Linux.
 */
final class NodeLinks implements AutoCloseable {

    private static final int OTHER = -1;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread created = new Thread(task, "node-links");
        created.setDaemon(true);
        return created;
    });
    private final List<ServerSocket> relays = new ArrayList<>();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Set<Integer> cutFromNodes = ConcurrentHashMap.newKeySet();
    private final Set<Integer> cutFromDatabase = ConcurrentHashMap.newKeySet();
    private volatile boolean isDatabaseSilent;
    private final Map<Integer, Integer> databasePorts = new HashMap<>();
    private final TestSchema schema;

    /**
     * @param count of the nodes
     * @param groupPort of a node
     */
    NodeLinks(int count, IntUnaryOperator groupPort, TestSchema schema) {
        this.schema = schema;
        URI database = URI.create(schema.url().substring("jdbc:".length()));
        for (int node = 0; node < count; node++) {
            int to = node;
            int port = groupPort.applyAsInt(node);
            relay(port, new InetSocketAddress(host(node), port), from -> isCut(from, to), () -> false);
            databasePorts.put(
                    node,
                    relay(
                            0,
                            new InetSocketAddress(database.getHost(), database.getPort()),
                            from -> cutFromDatabase.contains(to),
                            () -> isDatabaseSilent));
        }
    }

    /** The settings with which a node uses the links. */
    Map<String, String> settings(int node) {
        URI database = URI.create(schema.url().substring("jdbc:".length()));
        return Map.of(
                "cairn.cluster.bind-address",
                host(node),
                "db.url.0",
                "jdbc:" + database.getScheme() + "://127.0.0.1:" + databasePorts.get(node) + database.getPath());
    }

    private static String host(int node) {
        return "127.0.1." + (node + 1);
    }

    private static int nodeAt(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes[2] == 1 ? bytes[3] - 1 : OTHER;
    }

    private boolean isCut(int from, int to) {
        return from != to && (cutFromNodes.contains(from) || cutFromNodes.contains(to));
    }

    /** Ends the connections between the node and the others, and lets no new one pass. */
    void cutFromOthers(int node) {
        cutFromNodes.add(node);
        links.forEach(Link::endIfCut);
    }

    /** As {@link #cutFromOthers}, between the node and the database. */
    void cutFromDatabase(int node) {
        cutFromDatabase.add(node);
        links.forEach(Link::endIfCut);
    }

    /** The database gets and answers nothing of any node, as behind a packet filter. The connections stay. */
    void silenceDatabase() {
        isDatabaseSilent = true;
    }

    /** New connections pass again, and what waits in those that are open. */
    void heal() {
        isDatabaseSilent = false;
        cutFromNodes.clear();
        cutFromDatabase.clear();
    }

    /**
     * @param isCut whether connections of a node may not pass
     * @param isSilent whether no byte passes
     * @return the port
     */
    private int relay(int port, InetSocketAddress to, IntPredicate isCut, BooleanSupplier isSilent) {
        ServerSocket relay;
        try {
            relay = new ServerSocket(port, 50, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException("relay on port " + port, e);
        }
        relays.add(relay);
        threads.execute(() -> {
            while (!relay.isClosed()) {
                try {
                    Socket from = relay.accept();
                    threads.execute(() -> open(from, to, isCut, isSilent));
                } catch (IOException e) {
                    if (!relay.isClosed()) {
                        throw new UncheckedIOException("relay on port " + port, e);
                    }
                }
            }
        });
        return relay.getLocalPort();
    }

    private void open(Socket from, InetSocketAddress to, IntPredicate isCut, BooleanSupplier isSilent) {
        int node = nodeAt(from.getInetAddress());
        Link link = new Link(from, new Socket(), () -> isCut.test(node), isSilent);
        links.add(link);
        try {
            if (link.isCut()) {
                link.end();
                return;
            }
            from.setTcpNoDelay(true);
            link.to.setTcpNoDelay(true);
            link.to.connect(to, 5_000);
            threads.execute(() -> link.pump(link.to, from));
            link.pump(from, link.to);
        } catch (IOException e) {
            // The node that it leads to does not run.
            link.end();
        }
    }

    private interface Cut {
        boolean isCut();
    }

    private static void await(BooleanSupplier isSilent) {
        while (isSilent.getAsBoolean()) {
            // The end of the links ends the silence, too.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private final class Link {

        private final Socket from;
        private final Socket to;
        private final Cut cut;
        private final BooleanSupplier isSilent;

        Link(Socket from, Socket to, Cut cut, BooleanSupplier isSilent) {
            this.from = from;
            this.to = to;
            this.cut = cut;
            this.isSilent = isSilent;
        }

        boolean isCut() {
            return cut.isCut();
        }

        void endIfCut() {
            if (isCut()) {
                end();
            }
        }

        void pump(Socket in, Socket out) {
            try (InputStream bytes = in.getInputStream();
                    OutputStream sink = out.getOutputStream()) {
                byte[] buffer = new byte[16 * 1024];
                for (int length = bytes.read(buffer); length >= 0 && !isCut(); length = bytes.read(buffer)) {
                    NodeLinks.await(isSilent);
                    sink.write(buffer, 0, length);
                }
            } catch (IOException e) {
                // One end has closed the connection: so does the relay.
            } finally {
                end();
            }
        }

        void end() {
            links.remove(this);
            for (Socket each : List.of(from, to)) {
                try {
                    each.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    @Override
    public void close() {
        isDatabaseSilent = false;
        for (ServerSocket relay : relays) {
            try {
                relay.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        links.forEach(Link::end);
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the links between the nodes do not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
