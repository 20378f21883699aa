package io.cairn.server.http.config;

import org.jspecify.annotations.Nullable;

/**
 * The differences of two versions of a configuration.
 *
 * @param fromMd5 null where the configuration was not there, as {@code toMd5}
 * @param diff a unified diff; empty when the versions are the same
 * @param diffIsCut whether the diff goes on
 */
public record Comparison(
        @Nullable String fromMd5, @Nullable String toMd5, boolean same, String diff, boolean diffIsCut) {}
