package io.cairn.server.naming.registry;

import io.cairn.api.naming.InstanceKey;

/** An instance without its cluster, which the lease ignores. */
public record InstanceAddress(String ip, int port) {

    public static InstanceAddress of(InstanceKey key) {
        return new InstanceAddress(key.ip(), key.port());
    }

    public InstanceKey asKey() {
        return new InstanceKey(ip, port, "");
    }
}
