package io.cairn.server.wiring;

/** The numbers of the two ports. Thread-safe. */
final class BoundPorts {

    private volatile int http;
    private volatile int grpc = -1;

    /** @param configured the port of HTTP until it is bound; 0 for any free one */
    BoundPorts(int configured) {
        this.http = configured;
    }

    void bound(int httpPort, int grpcPort) {
        http = httpPort;
        grpc = grpcPort;
    }

    int http() {
        return http;
    }

    /** -1 until it is bound. */
    int grpc() {
        return grpc;
    }
}
