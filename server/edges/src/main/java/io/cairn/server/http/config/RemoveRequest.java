package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.GrayRule;
import org.jspecify.annotations.Nullable;

/**
 * A deletion over HTTP of any version.
 *
 * @param grayName the release; null for the configuration itself
 * @param user the author that the request names, or null
 */
public record RemoveRequest(
        ConfigKey key, @Nullable String grayName, @Nullable String user) {

    /** Null for an absent or blank tag. */
    public static @Nullable String releaseOfTag(@Nullable String tag) {
        return tag == null || tag.isBlank() ? null : GrayRule.nameOfTag(tag);
    }
}
