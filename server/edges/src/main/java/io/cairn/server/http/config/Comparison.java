package io.cairn.server.http.config;

import org.jspecify.annotations.Nullable;

/**
 * The differences of two versions of a configuration.
 *
 * @param fromMd5 null if the configuration was absent, as {@code toMd5}
 * @param diff unified; empty for equal versions
 * @param diffIsCut whether the diff goes on
 */
public record Comparison(
        @Nullable String fromMd5, @Nullable String toMd5, boolean same, String diff, boolean diffIsCut) {}
