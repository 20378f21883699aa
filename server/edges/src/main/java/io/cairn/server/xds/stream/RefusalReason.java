package io.cairn.server.xds.stream;

import io.cairn.server.http2.GrpcStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Why the server refuses or ends a stream. */
public enum RefusalReason {
    UNAUTHENTICATED("unauthenticated"),
    /** The client lacks the right to its namespace. */
    DENIED("denied"),
    /** The client exceeds a limit. */
    LIMIT("refused"),
    INVALID("refused"),
    FAILED("refused"),
    /** The server cannot serve at the moment; the client reconnects by itself. */
    UNAVAILABLE(null);

    private final @Nullable String state;

    /** @param state in lists; null for an unlisted client */
    RefusalReason(@Nullable String state) {
        this.state = state;
    }

    public @Nullable String state() {
        return state;
    }

    /** The name in meters. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Null for a status that is no refusal. */
    public static @Nullable RefusalReason of(GrpcStatus status) {
        return switch (status) {
            case UNAUTHENTICATED -> UNAUTHENTICATED;
            case PERMISSION_DENIED -> DENIED;
            case RESOURCE_EXHAUSTED -> LIMIT;
            case INVALID_ARGUMENT -> INVALID;
            case INTERNAL -> FAILED;
            case UNAVAILABLE -> UNAVAILABLE;
            default -> null;
        };
    }
}
