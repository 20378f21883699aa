package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;

/** An instance without its cluster, which has no effect on the lease. */
record InstanceAddress(String ip, int port) {

    static InstanceAddress of(InstanceKey key) {
        return new InstanceAddress(key.ip(), key.port());
    }

    InstanceKey asKey() {
        return new InstanceKey(ip, port, "");
    }
}
