package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import org.jspecify.annotations.Nullable;

/** @param grayName null for the configuration itself, without its gray releases */
public record RemoveConfig(ConfigKey key, @Nullable String grayName, Author by) {}
