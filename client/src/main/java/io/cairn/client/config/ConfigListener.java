package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;

/**
 * Is told what a configuration is: first what it is now, then each time it is something else. Calls for one watch come
 * one after the other; a listener that is slower than the changes gets the newest and not those in between. What it
 * throws is logged, and the next change is told all the same.
 */
@FunctionalInterface
public interface ConfigListener {

    /** This is the content now. */
    void onContent(ConfigContent content);

    /** There is no such configuration, not yet or not any more. */
    default void onAbsent(ConfigKey key) {}
}
