package io.cairn.server.http.config;

import io.cairn.server.subscription.ConfigListener;

/**
 * A client that listens to a configuration.
 *
 * @param connectionId empty when it polls
 * @param client name and version of its SDK; empty when not given
 * @param md5 of the content that it has; empty for none
 * @param current whether that is the present content
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
