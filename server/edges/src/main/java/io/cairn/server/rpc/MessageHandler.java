package io.cairn.server.rpc;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import java.util.concurrent.CompletionStage;

/**
 * The declaration of a message: names, reader, right, action. All methods run on the connection's event loop, or on the work pool
 * for large bodies, and must not block.
 *
 * @param <T> the immutable request
 */
public interface MessageHandler<T> {

    /** The things that a request begins to watch. */
    enum Watching {
        NOTHING,
        KEYS,
        PATTERNS
    }

    String requestType();

    String responseType();

    /**
     * Called once for each message; with login only for a known caller.
     *
     * @throws io.cairn.api.wire.MalformedMessageException for a malformed body
     */
    T read(Payload message);

    MessageRight<T> right();

    /** The things that a request begins to watch. A watching connection is closed when its caller loses the right. */
    default Watching watching() {
        return Watching.NOTHING;
    }

    /**
     * Answers a request of a connection that is set up, from an authorized caller.
     *
     * @throws CairnException for a refusal; see {@link #refused}
     */
    CompletionStage<Payload> handle(T request, ClientConnection connection, Principal caller);

    /** The answer to an unknown or unauthorized caller. */
    default Payload denied(String text) {
        return WireResponse.failed(responseType(), WireError.NO_RIGHT, text, null);
    }

    Payload refused(CairnException failure);
}
