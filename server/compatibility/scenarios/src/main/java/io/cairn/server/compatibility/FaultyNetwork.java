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
 * A TCP proxy before both ports of a server, which breaks, refuses and delays connections on request. Clients use
 * {@link #address()}.
 */
final class FaultyNetwork implements AutoCloseable {
    /** Counted types of messages. */
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
    /** The inverse share of randomly refused connections; 0 refuses no connection. */
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

    String address() {
        return "127.0.0.1:" + http.getLocalPort();
    }

    int connections() {
        return connections.get();
    }

    int refused() {
        return refused.get();
    }

    /** The number of passed messages of a type that this class names. */
    int seen(String type) {
        return seen.getOrDefault(type, 0);
    }

    /** Whether so many messages of a type have passed, and no further one for that time. */
    boolean isQuietAfter(String type, int messages, Duration quiet) {
        return seen(type) >= messages && System.nanoTime() - seenAt.getOrDefault(type, 0L) > quiet.toNanos();
    }

    List<FaultyLink> links() {
        return new ArrayList<>(links);
    }

    /** Refuses a random share of connections, the inverse of this number; 0 refuses no connection. */
    void refuseOneIn(int share) {
        refusedShare = share;
    }

    /** Resets all connections, and refuses new ones until {@link #mend()}. */
    void cut() {
        refuseOneIn(1);
        links().forEach(FaultyLink::reset);
    }

    void mend() {
        refuseOneIn(0);
    }

    /**
     * Resets the next listening connection when its client, after the answer, queries the first changed content.
     *
     * @return completes then
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
            refuse(client);
            return;
        }
        client.setTcpNoDelay(true);
        toServer.setTcpNoDelay(true);
        connections.incrementAndGet();
        var link = new FaultyLink(client, toServer, observer);
        links.add(link);
        link.start();
        if (refusedShare == 1 || http.isClosed()) {
            link.reset(); // cut() or close() may have come first
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
