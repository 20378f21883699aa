package io.cairn.server.node;

import java.nio.charset.StandardCharsets;

/**
 * One run of a node, which owns its clients' registrations. A restart has another incarnation, so it is another member.
 *
 * @param address {@code host:port} of HTTP for other nodes; at most 206 bytes, constant over restarts
 * @param incarnation time of the start, in epoch milliseconds
 */
public record NodeId(String address, long incarnation) implements Comparable<NodeId> {

    private static final int MAX_ADDRESS_BYTES = 206;

    public NodeId {
        int bytes = address.getBytes(StandardCharsets.UTF_8).length;
        if (address.isBlank() || bytes > MAX_ADDRESS_BYTES) {
            throw new IllegalArgumentException(
                    "address: '" + address + "' (expected: host:port, at most " + MAX_ADDRESS_BYTES + " bytes)");
        }
        if (incarnation < 1) {
            throw new IllegalArgumentException("incarnation: " + incarnation + " (expected: milliseconds since 1970)");
        }
    }

    public String host() {
        return address.substring(0, address.lastIndexOf(':'));
    }

    public int httpPort() {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    /** An order shared by all nodes. */
    @Override
    public int compareTo(NodeId other) {
        int byAddress = address.compareTo(other.address);
        return byAddress != 0 ? byAddress : Long.compare(incarnation, other.incarnation);
    }

    @Override
    public String toString() {
        return address + '#' + incarnation;
    }
}
