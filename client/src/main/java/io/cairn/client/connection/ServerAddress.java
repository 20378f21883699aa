package io.cairn.client.connection;

import java.util.Locale;

/**
 * @param port of the HTTP API, 1–65535
 * @param grpcPort by default the HTTP port + 1000
 * @param secure whether the HTTP API uses TLS
 */
public record ServerAddress(String host, int port, int grpcPort, boolean secure) {

    public static final int DEFAULT_GRPC_PORT_OFFSET = 1000;

    public ServerAddress {
        if (host.isBlank() || port < 1 || port > 65535 || grpcPort < 1 || grpcPort > 65535) {
            throw new IllegalArgumentException("server: '" + host + "', port: " + port + ", gRPC port: " + grpcPort
                    + " (expected: a host, and ports of 1-65535)");
        }
    }

    /**
     * Reads {@code host:port}, {@code [v6]:port}, {@code http://host:port} or {@code https://host:port}. The default port is
     * 8848.
     *
     * @param secure whether the HTTP API uses TLS when the text has no scheme
     * @throws IllegalArgumentException when the text has another format
     */
    public static ServerAddress parse(String text, int grpcPortOffset, boolean secure) {
        String rest = text.strip();
        boolean overTls = secure;
        int scheme = rest.indexOf("://");
        if (scheme >= 0) {
            String name = rest.substring(0, scheme).toLowerCase(Locale.ROOT);
            if (!name.equals("http") && !name.equals("https")) {
                throw new IllegalArgumentException(
                        "server: '" + text + "' (expected: host:port, or http:// or https://)");
            }
            overTls = name.equals("https");
            rest = rest.substring(scheme + 3);
        }
        int slash = rest.indexOf('/');
        if (slash >= 0) {
            rest = rest.substring(0, slash);
        }
        int bracket = rest.lastIndexOf(']');
        int colon = rest.lastIndexOf(':');
        boolean bareV6 = bracket < 0 && colon != rest.indexOf(':');
        String host = colon > bracket && !bareV6 ? rest.substring(0, colon) : rest;
        int port = 8848;
        if (colon > bracket && !bareV6) {
            try {
                port = Integer.parseInt(rest.substring(colon + 1));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("server: '" + text + "' (expected: host:port)", e);
            }
        }
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        return new ServerAddress(host, port, port + grpcPortOffset, overTls);
    }

    /** {@code host:port} of the HTTP API. */
    public String httpAddress() {
        return hostText() + ':' + port;
    }

    /** The host, with brackets around an IPv6 address. */
    public String hostText() {
        return host.indexOf(':') >= 0 ? '[' + host + ']' : host;
    }

    @Override
    public String toString() {
        return httpAddress() + " (gRPC " + grpcPort + ')';
    }
}
