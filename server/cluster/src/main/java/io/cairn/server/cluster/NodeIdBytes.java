package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The bytes of a node in its member address: the incarnation (8 bytes), then the address in UTF-8. */
final class NodeIdBytes {

    private NodeIdBytes() {}

    static byte[] encode(NodeId node) {
        byte[] address = node.address().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + address.length)
                .putLong(node.incarnation())
                .put(address)
                .array();
    }

    /** @throws IllegalArgumentException if these are not the bytes of {@link #encode} */
    static NodeId decode(byte[] encoded) {
        if (encoded.length <= Long.BYTES) {
            throw new IllegalArgumentException(
                    "node: " + encoded.length + " bytes (expected: more than " + Long.BYTES + ")");
        }
        ByteBuffer in = ByteBuffer.wrap(encoded);
        long incarnation = in.getLong();
        return new NodeId(StandardCharsets.UTF_8.decode(in).toString(), incarnation);
    }
}
