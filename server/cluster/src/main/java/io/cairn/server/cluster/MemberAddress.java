package io.cairn.server.cluster;

/**
 * @param host an IP address or a host name
 * @param httpPort names the node
 * @param groupPort for other nodes
 */
public record MemberAddress(String host, int httpPort, int groupPort) {

    static final int GRPC_OFFSET = 1_000;
    /** The default distance from the HTTP port to the group port. */
    public static final int GROUP_OFFSET = 1_001;

    private static final int MAX_PORT = 65_535;

    public MemberAddress {
        if (host.isBlank() || host.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException("'" + host + "' (expected: an IP address or a host name)");
        }
        requirePort(httpPort, MAX_PORT);
        requirePort(groupPort, MAX_PORT);
    }

    public static MemberAddress of(String host, int httpPort) {
        requirePort(httpPort, MAX_PORT - GROUP_OFFSET);
        return new MemberAddress(host, httpPort, httpPort + GROUP_OFFSET);
    }

    private static void requirePort(int port, int max) {
        if (port < 1 || port > max) {
            throw new IllegalArgumentException("port " + port + " (expected: 1-" + max + ")");
        }
    }

    /**
     * Reads {@code host}, {@code host:port}, {@code [IPv6]}, {@code [IPv6]:port} or an IPv6 address without brackets, and ignores
     * the rest after a question mark.
     *
     * @throws IllegalArgumentException with the found and the expected text
     */
    static MemberAddress parse(String text, int usualPort) {
        int parameters = text.indexOf('?');
        String address = (parameters < 0 ? text : text.substring(0, parameters)).trim();
        if (address.startsWith("[")) {
            int end = address.indexOf(']');
            String rest = end < 0 ? "" : address.substring(end + 1);
            if (end < 0 || !(rest.isEmpty() || rest.startsWith(":"))) {
                throw unreadable(text);
            }
            return of(address.substring(1, end), rest.isEmpty() ? usualPort : port(rest.substring(1), text));
        }
        int colon = address.indexOf(':');
        if (colon < 0 || colon != address.lastIndexOf(':')) {
            return checked(address, usualPort, text);
        }
        return checked(address.substring(0, colon), port(address.substring(colon + 1), text), text);
    }

    private static MemberAddress checked(String host, int port, String text) {
        if (!host.matches("[A-Za-z0-9._:%-]+")) {
            throw unreadable(text);
        }
        return of(host, port);
    }

    private static int port(String digits, String text) {
        if (!digits.matches("\\d{1,5}")) {
            throw unreadable(text);
        }
        return Integer.parseInt(digits);
    }

    private static IllegalArgumentException unreadable(String text) {
        return new IllegalArgumentException("'" + text.trim() + "' (expected: ip[:port] or host[:port])");
    }

    static String join(String host, int port) {
        return host.indexOf(':') < 0 ? host + ':' + port : '[' + host + "]:" + port;
    }

    @Override
    public String toString() {
        return join(host, httpPort);
    }
}
