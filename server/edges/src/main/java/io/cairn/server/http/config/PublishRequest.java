package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigDraft;
import org.jspecify.annotations.Nullable;

/**
 * A publish over HTTP of any version, whose key alone is checked.
 *
 * @param release the named gray release, or null
 * @param validate whether to refuse a malformed content
 * @param user the author that the request names, or null
 */
public record PublishRequest(
        ConfigKey key,
        ConfigDraft draft,
        @Nullable NamedRelease release,
        boolean validate,
        @Nullable String user) {}
