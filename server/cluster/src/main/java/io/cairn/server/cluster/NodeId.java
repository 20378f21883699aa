package io.cairn.server.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One run of one node. A node that is restarted has another incarnation, so it is another member of the group.
 *
 * @param host the address or name by which others reach the node
 * @param httpPort its port for HTTP
 * @param incarnation the time of its start, in milliseconds since the epoch
 */
public record NodeId(String host, int httpPort, long incarnation) {

    private static final int MAX_HOST_BYTES = 200;
    private static final int FIXED_BYTES = Long.BYTES + Integer.BYTES;

    public NodeId {
        if (host.isBlank() || host.getBytes(StandardCharsets.UTF_8).length > MAX_HOST_BYTES) {
            throw new IllegalArgumentException(
                    "host: '" + host + "' (expected: not blank, at most " + MAX_HOST_BYTES + " bytes)");
        }
        if (httpPort < 1 || httpPort > 65_535) {
            throw new IllegalArgumentException("port: " + httpPort + " (expected: 1-65535)");
        }
        if (incarnation < 1) {
            throw new IllegalArgumentException("incarnation: " + incarnation + " (expected: milliseconds since 1970)");
        }
    }

    /** The address without the incarnation: {@code host:port}. It stays the same over restarts. */
    public String address() {
        return MemberAddress.join(host, httpPort);
    }

    /** For {@link #decode}; at most 212 bytes. */
    byte[] encode() {
        byte[] name = host.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(FIXED_BYTES + name.length)
                .putLong(incarnation)
                .putInt(httpPort)
                .put(name)
                .array();
    }

    /** @throws IllegalArgumentException if these are not the bytes of {@link #encode} */
    static NodeId decode(byte[] encoded) {
        if (encoded.length <= FIXED_BYTES) {
            throw new IllegalArgumentException(
                    "node: " + encoded.length + " bytes (expected: more than " + FIXED_BYTES + ")");
        }
        ByteBuffer in = ByteBuffer.wrap(encoded);
        long incarnation = in.getLong();
        int httpPort = in.getInt();
        return new NodeId(StandardCharsets.UTF_8.decode(in).toString(), httpPort, incarnation);
    }

    @Override
    public String toString() {
        return address() + '#' + incarnation;
    }
}
