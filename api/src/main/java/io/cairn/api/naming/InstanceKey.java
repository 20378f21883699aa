package io.cairn.api.naming;

/**
 * The key of an instance within its service. Immutable and thread-safe.
 *
 * @param ip address or host name
 * @param port 0–65535
 */
public record InstanceKey(String ip, int port, String cluster) {

    /** The cluster of an instance that names no cluster. */
    public static final String DEFAULT_CLUSTER = "DEFAULT";

    public InstanceKey {
        if (ip.isBlank() || port < 0 || port > 65535) {
            throw new IllegalArgumentException(
                    "ip: '" + ip + "', port: " + port + " (expected: an address and a port of 0-65535)");
        }
        if (cluster.isBlank()) {
            cluster = DEFAULT_CLUSTER;
        }
    }

    @Override
    public String toString() {
        return ip + ":" + port + "/" + cluster;
    }
}
