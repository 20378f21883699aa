package io.cairn.server.wiring.lifecycle;

import io.cairn.api.error.CairnException;
import io.cairn.server.http.HttpServer;
import io.cairn.server.rpc.GrpcServer;
import io.cairn.server.wiring.settings.NacosSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Binds the two ports: HTTP, and gRPC a thousand above it, where clients expect it. */
public final class ServerPorts implements AutoCloseable {

    private static final int ATTEMPTS = 100;
    private static final int MAX_PORT = 65535;
    /** The time in which a client connects to another server and closes its connection here. */
    private static final Duration REDIRECTED_WITHIN = Duration.ofSeconds(1);

    private final NacosSettings settings;
    private final NewHttp newHttp;
    private final NewGrpc newGrpc;
    private final BoundPorts bound;
    private final ServerPhase phase;
    private @Nullable HttpServer http;
    private @Nullable GrpcServer grpc;

    @FunctionalInterface
    public interface NewHttp {
        HttpServer create();
    }

    @FunctionalInterface
    public interface NewGrpc {
        GrpcServer create(InetSocketAddress address);
    }

    /**
     * @param bound gets the ports after the bind
     * @param phase follows the ports
     */
    public ServerPorts(NacosSettings settings, NewHttp newHttp, NewGrpc newGrpc, BoundPorts bound, ServerPhase phase) {
        this.settings = settings;
        this.newHttp = newHttp;
        this.newGrpc = newGrpc;
        this.bound = bound;
        this.phase = phase;
    }

    /**
     * Admits clients from now on.
     *
     * @throws CairnException {@code UNAVAILABLE} when a port cannot be bound; then both are closed
     */
    void start() {
        phase.set(ServerPhase.Phase.SERVING);
        boolean anyPort = settings.address().getPort() == 0;
        for (int attempt = 1; ; attempt++) {
            HttpServer newest = newHttp.create();
            newest.start();
            if (anyPort && newest.port() > MAX_PORT - 1000 && attempt < ATTEMPTS) {
                newest.close();
                continue;
            }
            GrpcServer beside = newGrpc.create(settings.grpcAddress(newest.port()));
            try {
                beside.start();
                http = newest;
                grpc = beside;
                bound.bound(newest.port(), beside.port());
                return;
            } catch (CairnException e) {
                newest.close();
                if (!anyPort || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    public int httpPort() {
        return bound.http();
    }

    public int grpcPort() {
        return bound.grpc();
    }

    public int openHttpConnections() {
        HttpServer present = http;
        return present == null ? 0 : present.openConnections();
    }

    void stopAccepting() {
        phase.set(ServerPhase.Phase.DRAINING);
        GrpcServer presentGrpc = grpc;
        if (presentGrpc != null) {
            presentGrpc.stopAccepting();
        }
        HttpServer presentHttp = http;
        if (presentHttp != null) {
            presentHttp.stopAccepting();
        }
    }

    /** Sends connected gRPC clients to other servers with their next call; running ones are answered. */
    void redirectGrpc() {
        GrpcServer present = grpc;
        if (present != null) {
            present.redirect();
        }
    }

    /** Blocks briefly until these clients have disconnected. */
    void awaitRedirected() {
        GrpcServer present = grpc;
        if (present != null) {
            present.awaitRedirected(REDIRECTED_WITHIN);
        }
    }

    void finishGrpc() {
        GrpcServer present = grpc;
        if (present != null) {
            present.finish();
        }
        phase.set(ServerPhase.Phase.STOPPED);
    }

    /** Ends each HTTP connection as soon as it has no running request. */
    void finishHttp() {
        HttpServer present = http;
        if (present != null) {
            present.finish();
        }
    }

    @Override
    public void close() {
        GrpcServer presentGrpc = grpc;
        if (presentGrpc != null) {
            presentGrpc.close();
        }
        HttpServer presentHttp = http;
        if (presentHttp != null) {
            presentHttp.close();
        }
    }
}
