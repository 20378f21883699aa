package io.cairn.server.config;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import java.util.Optional;
import java.util.function.Function;

/** What became of a {@link PublishConfig}. */
public sealed interface PublishResult {

    /** Stored and durable. */
    record Published(ConfigChanged change) implements PublishResult {}

    /** Refused, because the stored content is not the expected one; nothing was written. */
    record Conflict(Optional<ContentDigest> actual) implements PublishResult {}

    default <R> R fold(Function<Published, R> published, Function<Conflict, R> conflict) {
        return this instanceof Published p ? published.apply(p) : conflict.apply((Conflict) this);
    }
}
