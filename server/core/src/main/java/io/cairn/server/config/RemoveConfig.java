package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import org.jspecify.annotations.Nullable;

/**
 * The order to delete a configuration, or one gray release of it.
 *
 * @param grayName of the release; null for the configuration itself, which leaves its gray releases
 */
public record RemoveConfig(ConfigKey key, @Nullable String grayName, Author by) {}
