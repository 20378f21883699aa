package io.cairn.server.wiring.lifecycle;

/** The numbers of the two ports. Thread-safe. */
public final class BoundPorts {

    private volatile int http;
    private volatile int grpc = -1;

    /** @param configured the port of HTTP until it is bound; 0 for any free one */
    public BoundPorts(int configured) {
        this.http = configured;
    }

    void bound(int httpPort, int grpcPort) {
        http = httpPort;
        grpc = grpcPort;
    }

    public int http() {
        return http;
    }

    /** -1 until it is bound. */
    public int grpc() {
        return grpc;
    }
}
