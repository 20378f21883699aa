package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The types of resources that a proxy subscribes to here. */
public enum ResourceKind {
    CLUSTERS("type.googleapis.com/envoy.config.cluster.v3.Cluster"),
    ENDPOINTS("type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"),
    LISTENERS("type.googleapis.com/envoy.config.listener.v3.Listener");

    private static final ResourceKind[] ALL = values();

    private final String typeUrl;
    private final byte[] bytes;

    ResourceKind(String typeUrl) {
        this.typeUrl = typeUrl;
        bytes = typeUrl.getBytes(UTF_8);
    }

    public String typeUrl() {
        return typeUrl;
    }

    /** Null for a type URL of another kind. */
    static @Nullable ResourceKind of(ByteBuf in, int index, int length) {
        for (ResourceKind kind : ALL) {
            if (kind.bytes.length == length && kind.isAt(in, index)) {
                return kind;
            }
        }
        return null;
    }

    private boolean isAt(ByteBuf in, int index) {
        // The kinds differ behind what they share, so the end decides first.
        for (int i = bytes.length - 1; i >= 0; i--) {
            if (in.getByte(index + i) != bytes[i]) {
                return false;
            }
        }
        return true;
    }
}
