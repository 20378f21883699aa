package io.cairn.server.node;

import java.nio.charset.StandardCharsets;

/**
 * One run of one node of the cluster, as the owner of what its clients have registered. A node that is restarted has another
 * incarnation, so it is another member of the group.
 *
 * @param address the address and the port for HTTP by which others reach the node, {@code host:port}; at most 206 bytes. It stays
 *     the same over restarts
 * @param incarnation the time of its start, in milliseconds since the epoch
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

    /** An order that all nodes share. */
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
