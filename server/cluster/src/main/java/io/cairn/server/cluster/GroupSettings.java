package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * @param bind the address on which the group port listens
 * @param advertised the address for other nodes, with the port of {@code bind}
 * @param key {@link FrameCipher#KEY_BYTES} bytes
 * @param failureTimeout silence after which a member is suspected
 */
public record GroupSettings(
        NodeId self, InetSocketAddress bind, InetAddress advertised, byte[] key, Duration failureTimeout) {

    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(2);

    public GroupSettings {
        key = key.clone();
        if (bind.isUnresolved() || bind.getPort() == 0) {
            throw new IllegalArgumentException("bind: " + bind + " (expected: an address and a port of 1-65535)");
        }
        if (advertised.isAnyLocalAddress()) {
            throw new IllegalArgumentException(
                    "advertised: " + advertised.getHostAddress() + " (expected: an address that others reach)");
        }
        if (key.length != FrameCipher.KEY_BYTES) {
            throw new IllegalArgumentException(
                    "key: " + key.length + " bytes (expected: " + FrameCipher.KEY_BYTES + ")");
        }
        if (failureTimeout.compareTo(SHORTEST_TIMEOUT) < 0) {
            throw new IllegalArgumentException(
                    "failureTimeout: " + failureTimeout + " (expected: at least " + SHORTEST_TIMEOUT + ")");
        }
    }

    @Override
    public byte[] key() {
        return key.clone();
    }

    /** Without the key, which is a secret. */
    @Override
    public String toString() {
        return "GroupSettings[" + self + ", bind=" + bind + ", advertised=" + advertised.getHostAddress() + ']';
    }
}
