package io.cairn.server.subscription.history;

import io.cairn.api.config.ConfigKey;
import org.jspecify.annotations.Nullable;

/** The requested events; null for any. */
public record EventFilter(
        @Nullable String connectionId,
        @Nullable String ip,
        @Nullable String app,
        @Nullable String instance,
        @Nullable ConfigKey key) {

    boolean takes(SeenClient client) {
        return is(connectionId, client.connectionId())
                && is(ip, client.ip())
                && is(app, client.app())
                && is(instance, client.instance());
    }

    /** False for an event without a configuration, if one is requested. */
    boolean takes(@Nullable ConfigKey of) {
        return key == null || key.equals(of);
    }

    private static boolean is(@Nullable String wanted, String present) {
        return wanted == null || wanted.equals(present);
    }
}
