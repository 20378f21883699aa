package io.cairn.benchmark;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The server under load: its HTTP port, and gRPC a thousand above. On this machine only. */
record Target(InetAddress host, int httpPort) {
    private static final int GRPC_OFFSET = 1000;

    /** Reads {@code host:port}. */
    static Target parse(String server) {
        int colon = server.lastIndexOf(':');
        String name = colon < 0 ? server : server.substring(0, colon);
        String port = server.substring(colon + 1);
        if (colon < 1 || !port.matches("\\d{1,5}")) {
            throw new BenchmarkException("--server: '" + server + "' (expected: host:port, such as 127.0.0.1:8848)");
        }
        int httpPort = Integer.parseInt(port);
        Limits.within("--server port", httpPort, 1, 65_535 - GRPC_OFFSET);
        try {
            InetAddress host = InetAddress.getByName(name);
            if (!host.isLoopbackAddress()) {
                throw new BenchmarkException(
                        "--server: '" + name + "' is not this machine (expected: a loopback address)");
            }
            return new Target(host, httpPort);
        } catch (UnknownHostException e) {
            throw new BenchmarkException("--server: '" + name + "' has no address");
        }
    }

    InetSocketAddress http() {
        return new InetSocketAddress(host, httpPort);
    }

    InetSocketAddress grpc() {
        return new InetSocketAddress(host, httpPort + GRPC_OFFSET);
    }

    /** For the Host header. */
    String authority() {
        String literal = host.getHostAddress();
        return (literal.contains(":") ? "[" + literal + "]" : literal) + ":" + httpPort;
    }
}
