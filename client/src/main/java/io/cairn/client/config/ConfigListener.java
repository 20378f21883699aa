package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;

/**
 * Receives the states of a watched configuration: first the current state, then each change. Calls for one watch never
 * overlap. A slow listener receives the newest state and skips those before it. The client logs exceptions and continues.
 */
@FunctionalInterface
public interface ConfigListener {

    void onContent(ConfigContent content);

    /** The configuration does not exist: it was deleted, or not created yet. */
    default void onAbsent(ConfigKey key) {}
}
