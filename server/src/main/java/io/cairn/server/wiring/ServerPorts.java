package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.server.http.HttpServer;
import io.cairn.server.rpc.GrpcServer;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Binds the two ports: HTTP, and gRPC a thousand above it, because that is where clients look for it. */
final class ServerPorts implements AutoCloseable {

    private static final int ATTEMPTS = 100;
    private static final int MAX_PORT = 65535;

    private final NacosSettings settings;
    private final Function<InetSocketAddress, HttpServer> newHttp;
    private final Function<InetSocketAddress, GrpcServer> newGrpc;
    private @Nullable HttpServer http;
    private @Nullable GrpcServer grpc;

    ServerPorts(
            NacosSettings settings,
            Function<InetSocketAddress, HttpServer> newHttp,
            Function<InetSocketAddress, GrpcServer> newGrpc) {
        this.settings = settings;
        this.newHttp = newHttp;
        this.newGrpc = newGrpc;
    }

    /** @throws CairnException {@code UNAVAILABLE} when a port cannot be bound; neither is then */
    void start() {
        boolean anyPort = settings.address().getPort() == 0;
        for (int attempt = 1; ; attempt++) {
            HttpServer newest = newHttp.apply(settings.address());
            newest.start();
            if (anyPort && newest.port() > MAX_PORT - 1000 && attempt < ATTEMPTS) {
                newest.close();
                continue;
            }
            GrpcServer beside = newGrpc.apply(settings.grpcAddress(newest.port()));
            try {
                beside.start();
                http = newest;
                grpc = beside;
                return;
            } catch (CairnException e) {
                newest.close();
                if (!anyPort || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    int httpPort() {
        HttpServer bound = http;
        return bound == null ? settings.address().getPort() : bound.port();
    }

    int grpcPort() {
        GrpcServer bound = grpc;
        return bound == null ? -1 : bound.port();
    }

    int openHttpConnections() {
        HttpServer bound = http;
        return bound == null ? 0 : bound.openConnections();
    }

    /** Closes both ports; those who are connected stay. */
    void stopAccepting() {
        GrpcServer boundGrpc = grpc;
        if (boundGrpc != null) {
            boundGrpc.stopAccepting();
        }
        HttpServer boundHttp = http;
        if (boundHttp != null) {
            boundHttp.stopAccepting();
        }
    }

    /** Takes no more calls over gRPC; those under way are answered. */
    void finishGrpc() {
        GrpcServer bound = grpc;
        if (bound != null) {
            bound.finish();
        }
    }

    /** Ends each HTTP connection as soon as no request of it is under way. */
    void finishHttp() {
        HttpServer bound = http;
        if (bound != null) {
            bound.finish();
        }
    }

    @Override
    public void close() {
        GrpcServer boundGrpc = grpc;
        if (boundGrpc != null) {
            boundGrpc.close();
        }
        HttpServer boundHttp = http;
        if (boundHttp != null) {
            boundHttp.close();
        }
    }
}
