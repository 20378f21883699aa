package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The types of resources that a proxy subscribes to here. */
public enum ResourceKind {
    CLUSTERS("type.googleapis.com/envoy.config.cluster.v3.Cluster"),
    ENDPOINTS("type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"),
    LISTENERS("type.googleapis.com/envoy.config.listener.v3.Listener");

    private static final ResourceKind[] ALL = values();

    private final String typeUrl;

    ResourceKind(String typeUrl) {
        this.typeUrl = typeUrl;
    }

    public String typeUrl() {
        return typeUrl;
    }

    /** Null for a type URL of another kind. */
    static @Nullable ResourceKind of(ByteBuf in, int index, int length) {
        for (ResourceKind kind : ALL) {
            if (kind.typeUrl.length() == length && kind.isAt(in, index)) {
                return kind;
            }
        }
        return null;
    }

    private boolean isAt(ByteBuf in, int index) {
        // The kinds differ behind what they share, so the end decides first.
        for (int i = typeUrl.length() - 1; i >= 0; i--) {
            if (in.getByte(index + i) != typeUrl.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
