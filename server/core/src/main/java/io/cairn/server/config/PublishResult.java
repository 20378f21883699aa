package io.cairn.server.config;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ConfigChanged;
import java.util.Optional;
import java.util.function.Function;

public sealed interface PublishResult {

    /** Stored and durable. */
    record Published(ConfigChanged change) implements PublishResult {}

    /** Another content is stored; nothing was written. */
    record Conflict(Optional<ContentDigest> actual) implements PublishResult {

        /** Nacos's text, which scripts compare. */
        public static String text(boolean isGray) {
            return "Cas publish " + (isGray ? "gray config " : "") + "fail, server md5 may have changed.";
        }
    }

    /** The configuration has the maximum number of gray releases; nothing was written. */
    record TooManyReleases(int limit) implements PublishResult {}

    /** The content is too large or the quota used up; nothing was written. */
    record OverCapacity(CapacityException.Limit limit, CapacityScope scope, long allowed) implements PublishResult {}

    /** @throws CairnException {@code LIMIT_EXCEEDED} for {@link TooManyReleases} and {@link OverCapacity} */
    default <R> R fold(Function<Published, R> published, Function<Conflict, R> conflict) {
        if (this instanceof TooManyReleases refused) {
            throw new GrayLimitException(refused.limit());
        }
        if (this instanceof OverCapacity refused) {
            throw new CapacityException(refused.limit(), refused.scope(), refused.allowed());
        }
        return this instanceof Published p ? published.apply(p) : conflict.apply((Conflict) this);
    }
}
