package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;

/** Is told which configurations match a pattern. Calls come one after the other. */
public interface PatternListener {

    /** This one matches: it was there already, or has come. */
    void onAdded(ConfigKey key);

    /** This one is gone. */
    void onRemoved(ConfigKey key);
}
