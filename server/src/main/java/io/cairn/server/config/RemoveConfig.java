package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;

/** The order to delete a configuration. */
public record RemoveConfig(ConfigKey key, ChangedBy by) {}
