package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigDraft;
import org.jspecify.annotations.Nullable;

/**
 * A publish over HTTP, in whichever version. Only its key is checked.
 *
 * @param draft the fields as they came
 * @param release the gray release that the content is for, by a name of its own; null when the request names none
 * @param validate whether a content that is not well-formed is to be refused
 * @param user the user that the request names as its author; null when it names none
 */
public record PublishRequest(
        ConfigKey key,
        ConfigDraft draft,
        @Nullable NamedRelease release,
        boolean validate,
        @Nullable String user) {}
