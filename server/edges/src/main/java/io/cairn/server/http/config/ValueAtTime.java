package io.cairn.server.http.config;

import org.jspecify.annotations.Nullable;

/**
 * The content of a configuration at some time.
 *
 * @param time in epoch milliseconds
 * @param md5 null when the configuration was not there, as {@code content}
 */
public record ValueAtTime(
        long time,
        boolean existed,
        @Nullable String md5,
        @Nullable String content) {}
