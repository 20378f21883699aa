package io.cairn.server.compatibility;

import io.cairn.server.process.CairnProcess;
import io.cairn.server.process.PortPair;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy before both ports of a server, which cuts, refuses and harms connections when it is asked to. Clients use
 * {@link #address()} in place of the address of the server. Thread-safe.
 */
final class FaultyNetwork implements AutoCloseable {
    /** Types of messages that are counted. */
    static final String LISTEN = "ConfigBatchListenRequest";

    static final String QUERY = "ConfigQueryRequest";
    static final String METRIC_ANSWER = "ClientConfigMetricResponse";
    static final String RESET = "ConnectResetRequest";

    private static final int PORT_TRIES = 5;
    private static final int BACKLOG = 512;
    private static final System.Logger log = System.getLogger(FaultyNetwork.class.getName());

    private final ServerSocket http;
    private final ServerSocket grpc;
    private final Set<FaultyLink> links = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> seen = new ConcurrentHashMap<>();
    private final Map<String, Long> seenAt = new ConcurrentHashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicReference<@Nullable CompletableFuture<Void>> nextLoss = new AtomicReference<>();
    /** One connection in so many is refused; 0 refuses none. */
    private volatile int refusedShare;

    private final FaultyLink.Observer observer = new FaultyLink.Observer() {
        @Override
        public void passes(FaultyLink link, String type) {
            seenAt.put(type, System.nanoTime());
            seen.merge(type, 1, Integer::sum);
            CompletableFuture<Void> loss = nextLoss.get();
            if (loss != null && type.equals(LISTEN)) {
                link.noteListen();
            } else if (loss != null && type.equals(QUERY) && link.hasListened() && nextLoss.compareAndSet(loss, null)) {
                link.reset();
                loss.complete(null);
            }
        }

        @Override
        public void ended(FaultyLink link) {
            links.remove(link);
        }
    };

    private FaultyNetwork(ServerSocket http, ServerSocket grpc) {
        this.http = http;
        this.grpc = grpc;
    }

    /** Opens a network without faults. */
    static FaultyNetwork before(CairnProcess server) throws IOException {
        for (int tries = 1; ; tries++) {
            PortPair ports = PortPair.free();
            ServerSocket http = null;
            try {
                http = listenOn(ports.http());
                var network = new FaultyNetwork(http, listenOn(ports.grpc()));
                network.accept(network.http, server.httpPort());
                network.accept(network.grpc, server.grpcPort());
                return network;
            } catch (IOException taken) {
                if (http != null) {
                    http.close();
                }
                if (tries == PORT_TRIES) {
                    throw taken;
                }
            }
        }
    }

    private static ServerSocket listenOn(int port) throws IOException {
        return new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    }

    /** The address that clients use. */
    String address() {
        return "127.0.0.1:" + http.getLocalPort();
    }

    /** How many connections were accepted, over both ports. */
    int connections() {
        return connections.get();
    }

    /** How many connections were refused. */
    int refused() {
        return refused.get();
    }

    /** How many messages of a type have passed, of those that this class names. */
    int seen(String type) {
        return seen.getOrDefault(type, 0);
    }

    /** Whether at least so many messages of a type have passed, and none for some time. */
    boolean isQuietAfter(String type, int messages, Duration quiet) {
        return seen(type) >= messages && System.nanoTime() - seenAt.getOrDefault(type, 0L) > quiet.toNanos();
    }

    /** The connections that are open. */
    List<FaultyLink> links() {
        return new ArrayList<>(links);
    }

    /** Refuses one connection in so many from now on; 1 refuses all, 0 none. */
    void refuseOneIn(int share) {
        refusedShare = share;
    }

    /** Resets all connections, and refuses new ones until {@link #mend()}. */
    void cut() {
        refuseOneIn(1);
        links().forEach(FaultyLink::reset);
    }

    /** Accepts all connections. */
    void mend() {
        refuseOneIn(0);
    }

    /**
     * Resets the next connection over which a client listens, at the moment when the client has the answer and asks for
     * the first content that has changed.
     *
     * @return completes when that has happened
     */
    CompletableFuture<Void> loseNextListens() {
        var loss = new CompletableFuture<Void>();
        nextLoss.set(loss);
        return loss;
    }

    private void accept(ServerSocket listener, int target) {
        var thread = new Thread(() -> acceptAll(listener, target), "faulty-network-" + listener.getLocalPort());
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll(ServerSocket listener, int target) {
        while (!listener.isClosed()) {
            try {
                admit(listener.accept(), target);
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    log.log(System.Logger.Level.WARNING, "Cannot accept a connection, goes on", e);
                }
            }
        }
    }

    private void admit(Socket client, int target) throws IOException {
        int share = refusedShare;
        if (share > 0 && ThreadLocalRandom.current().nextInt(share) == 0) {
            refused.incrementAndGet();
            refuse(client);
            return;
        }
        Socket toServer;
        try {
            toServer = new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException down) {
            refuse(client); // as the server itself would
            return;
        }
        client.setTcpNoDelay(true);
        toServer.setTcpNoDelay(true);
        connections.incrementAndGet();
        var link = new FaultyLink(client, toServer, observer);
        links.add(link);
        link.start();
        if (refusedShare == 1 || http.isClosed()) {
            link.reset(); // cut() or close() may have come before the link was known
        }
    }

    private static void refuse(Socket client) throws IOException {
        client.setSoLinger(true, 0);
        client.close();
    }

    @Override
    public void close() throws IOException {
        http.close();
        grpc.close();
        links().forEach(FaultyLink::reset);
    }
}
