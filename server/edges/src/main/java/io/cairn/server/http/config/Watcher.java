package io.cairn.server.http.config;

import io.cairn.server.subscription.ConfigListener;

/**
 * A client that listens to a configuration.
 *
 * @param connectionId empty for a poll
 * @param client name and version of its SDK, or empty
 * @param md5 of its content, or empty
 * @param current whether its content is the present one
 */
public record Watcher(String clientIp, String connectionId, String client, String md5, boolean current) {

    public static Watcher of(ConfigListener listener) {
        return new Watcher(
                listener.clientIp(),
                listener.connectionId(),
                listener.client(),
                ListenerReads.md5(listener),
                listener.isCurrent());
    }
}
