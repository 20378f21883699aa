package io.cairn.server.wiring.lifecycle;

public final class BoundPorts {

    private volatile int http;
    private volatile int grpc = -1;

    /** @param configured the HTTP port before the bind; 0 for any free one */
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

    public int grpc() {
        return grpc;
    }
}
