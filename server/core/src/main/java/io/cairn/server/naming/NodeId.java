package io.cairn.server.naming;

/**
 * A server of the group, as the owner of what its clients have registered. Immutable and thread-safe.
 *
 * @param address its own address and HTTP port, {@code ip:port}
 * @param incarnation the time of its start in epoch milliseconds; a server that was restarted is another node
 */
public record NodeId(String address, long incarnation) implements Comparable<NodeId> {

    public NodeId {
        if (address.isBlank() || incarnation <= 0) {
            throw new IllegalArgumentException("address: '" + address + "', incarnation: " + incarnation
                    + " (expected: ip:port and the epoch milliseconds of a start)");
        }
    }

    /** An order that all nodes share. */
    @Override
    public int compareTo(NodeId other) {
        int byAddress = address.compareTo(other.address);
        return byAddress != 0 ? byAddress : Long.compare(incarnation, other.incarnation);
    }

    @Override
    public String toString() {
        return address + "@" + incarnation;
    }
}
