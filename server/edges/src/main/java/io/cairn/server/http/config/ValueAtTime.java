package io.cairn.server.http.config;

import org.jspecify.annotations.Nullable;

/**
 * The content of a configuration at some time.
 *
 * @param time epoch milliseconds
 * @param md5 null for an absent configuration, as {@code content}
 */
public record ValueAtTime(
        long time,
        boolean existed,
        @Nullable String md5,
        @Nullable String content) {}
