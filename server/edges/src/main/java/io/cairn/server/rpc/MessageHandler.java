package io.cairn.server.rpc;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import java.util.concurrent.CompletionStage;

/**
 * The one declaration of a message: its names, how it is read, which right it needs, and what it does. All methods are called
 * on the connection's event loop, and for large bodies on the work pool, so they must not block.
 *
 * @param <T> the request as it was read; immutable
 */
public interface MessageHandler<T> {

    /** The things that a request starts to watch over its connection. */
    enum Watching {
        NOTHING,
        /** Single configurations or services. */
        KEYS,
        /** Everything that matches a pattern. */
        PATTERNS
    }

    /** Wire name of the requests. */
    String requestType();

    /** Wire name of the answers. */
    String responseType();

    /**
     * Reads a request. Called once for each message, and with login on only for a known caller.
     *
     * @throws io.cairn.api.wire.MalformedMessageException when the body is not what the type asks for
     */
    T read(Payload message);

    /** The right that a request needs. */
    MessageRight<T> right();

    /** The things that a request starts to watch. A connection that watches is closed when its caller loses the right to. */
    default Watching watching() {
        return Watching.NOTHING;
    }

    /**
     * Answers a request of a connection that is set up, from a caller that has the right.
     *
     * @throws CairnException when the request is refused; see {@link #refused}
     */
    CompletionStage<Payload> handle(T request, ClientConnection connection, Principal caller);

    /** The answer to a request whose caller is unknown or lacks the right. */
    default Payload denied(String text) {
        return WireResponse.failed(responseType(), WireError.NO_RIGHT, text, null);
    }

    /** The answer to a request that failed with that exception. */
    Payload refused(CairnException failure);
}
