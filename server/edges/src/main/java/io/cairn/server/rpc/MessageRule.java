package io.cairn.server.rpc;

import io.cairn.api.wire.Payload;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import org.jspecify.annotations.Nullable;

/** What a message of one type needs. Called on event loops, so it must not block. */
@FunctionalInterface
public interface MessageRule {

    /** Anybody; nobody is asked who he is. */
    MessageRule OPEN = (policy, who, message) -> null;

    /**
     * Null when the sender may have what the message asks for.
     *
     * @throws io.cairn.api.wire.MalformedMessageException when the body is not what the type asks for
     */
    @Nullable
    Denial check(AccessPolicy policy, Identity who, Payload message);
}
