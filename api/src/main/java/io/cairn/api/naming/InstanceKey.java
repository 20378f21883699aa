package io.cairn.api.naming;

import org.jspecify.annotations.Nullable;

/**
 * The key of an instance within its service.
 *
 * @param ip address or host name
 * @param port 0–65535
 */
public record InstanceKey(String ip, int port, String cluster) {

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

    // Written out for the reason given at ServiceKey.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof InstanceKey key
                        && port == key.port
                        && ip.equals(key.ip)
                        && cluster.equals(key.cluster);
    }

    @Override
    public int hashCode() {
        return (ip.hashCode() * 31 + port) * 31 + cluster.hashCode();
    }

    @Override
    public String toString() {
        return ip + ":" + port + "/" + cluster;
    }
}
