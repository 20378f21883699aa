package io.cairn.server.subscription.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import org.jspecify.annotations.Nullable;

/**
 * An event of a client.
 *
 * @param atMillis epoch milliseconds
 * @param client null for {@link Kind#MISSING}
 * @param key null for events without a configuration
 * @param digest of the client's content; null without a content, and for other events
 * @param count the missing events
 */
public record ClientEvent(
        long atMillis,
        Kind kind,
        @Nullable SeenClient client,
        @Nullable ConfigKey key,
        @Nullable ContentDigest digest,
        long count) {

    /** The files have the codes: a new kind gets a new one. */
    public enum Kind {
        /** It begins to listen, and reports its content. */
        LISTENED(4),
        /** A notification of a change was sent to it, or its poll was answered with the change. */
        NOTIFIED(5),
        /** It has another content than before. */
        FOLLOWED(6),
        /** It has not followed a change in time. Clients that poll have neither this event nor the next one. */
        BEHIND(7),
        /** Its connection has ended. */
        LEFT(8),
        /** Events that were not kept, because too many came at once or the disk refused them. */
        MISSING(9);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }
}
