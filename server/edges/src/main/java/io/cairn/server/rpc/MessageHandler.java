package io.cairn.server.rpc;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import java.util.concurrent.CompletionStage;

/** Answers one type of request. Called on the connection's event loop, so it must not block. */
public interface MessageHandler {

    /** Wire name of the requests it answers. */
    String requestType();

    /** Wire name of its answers. */
    String responseType();

    /**
     * Answers a request of a connection that is set up.
     *
     * @throws io.cairn.api.wire.MalformedMessageException when the body is not what the type asks for
     * @throws CairnException when the request is refused; see {@link #refused}
     */
    CompletionStage<Payload> handle(Payload request, ClientConnection connection);

    /** As {@link #handle(Payload, ClientConnection)}, for those who want to know who asks. */
    default CompletionStage<Payload> handle(Payload request, ClientConnection connection, Principal principal) {
        return handle(request, connection);
    }

    /** The answer to a request that its sender has no right to, or none that is known. */
    default Payload denied(String text) {
        return WireResponse.failed(responseType(), WireError.NO_RIGHT, text, null);
    }

    /** The answer to a request that failed with that exception. */
    Payload refused(CairnException failure);
}
