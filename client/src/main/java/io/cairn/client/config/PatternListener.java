package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;

/** Receives the configurations that match a pattern, first the existing ones. Calls for one watch never overlap. */
public interface PatternListener {

    /** This configuration exists, or was created. */
    void onAdded(ConfigKey key);

    void onRemoved(ConfigKey key);
}
