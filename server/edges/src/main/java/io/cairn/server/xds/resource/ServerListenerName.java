package io.cairn.server.xds.resource;

import io.netty.util.NetUtil;
import org.jspecify.annotations.Nullable;

/**
 * The name of a gRPC server's inbound listener, by {@code server_listener_resource_name_template} of its bootstrap. It never means
 * a service of the same name.
 *
 * @param address an IP address, without brackets
 */
record ServerListenerName(String address, int port) {

    /** The template has {@code %s} after it. */
    static final String PREFIX = "grpc/server?xds.resource.listening_address=";

    private static final int MAX_PORT = 65_535;
    private static final int MAX_PORT_DIGITS = 5;

    static boolean isOne(String name) {
        return name.startsWith(PREFIX);
    }

    /** Null for a name beyond the template, or without {@code address:port}. */
    static @Nullable ServerListenerName parse(String name) {
        int colon = name.lastIndexOf(':');
        if (!isOne(name) || colon < PREFIX.length()) {
            return null;
        }
        String host = name.substring(PREFIX.length(), colon);
        boolean isInBrackets = host.startsWith("[") && host.endsWith("]");
        String address = isInBrackets ? host.substring(1, host.length() - 1) : host;
        boolean isAddress = isInBrackets ? NetUtil.isValidIpV6Address(address) : NetUtil.isValidIpV4Address(address);
        int port = port(name.substring(colon + 1));
        return isAddress && port > 0 ? new ServerListenerName(address, port) : null;
    }

    /** 0 for other texts. */
    private static int port(String text) {
        boolean isNumber = !text.isEmpty()
                && text.length() <= MAX_PORT_DIGITS
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = isNumber ? Integer.parseInt(text) : 0;
        return port <= MAX_PORT ? port : 0;
    }

    @Override
    public String toString() {
        return PREFIX + (address.indexOf(':') < 0 ? address : '[' + address + ']') + ':' + port;
    }
}
