package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.GrayRule;
import org.jspecify.annotations.Nullable;

/**
 * A deletion of one configuration or of one of its releases over HTTP, in whichever version.
 *
 * @param grayName the release; null for the configuration itself
 * @param user the user that the request names as its author; null when it names none
 */
public record RemoveRequest(
        ConfigKey key, @Nullable String grayName, @Nullable String user) {

    /** The name of the release for that tag; null for a tag that is absent or blank. */
    public static @Nullable String releaseOfTag(@Nullable String tag) {
        return tag == null || tag.isBlank() ? null : GrayRule.nameOfTag(tag);
    }
}
