package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.Watched;

/** What becomes of a connection's listens when it ends. */
public final class ConfigWatches {

    private ConfigWatches() {}

    /** Takes a closed connection off all that it listened to. */
    @SuppressWarnings("unchecked") // a connection's configuration listens are all keyed by ConfigKey
    public static void forget(ClientConnection connection, Subscriptions<ConfigKey> subscriptions) {
        connection.watches().clear(watched -> subscriptions.closed((Watched<ConfigKey>) watched));
    }
}
