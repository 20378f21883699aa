package io.cairn.server.rpc.connection;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers a health check; the router has refused connections that are not set up. */
public final class HealthCheckHandler implements MessageHandler<Payload> {

    private static final MessageRight<Payload> RIGHT = MessageRight.open();
    private static final CompletionStage<Payload> HEALTHY =
            CompletableFuture.completedFuture(WireResponse.ok(MessageCatalog.HEALTH_CHECK_RESPONSE));

    @Override
    public String requestType() {
        return MessageCatalog.HEALTH_CHECK_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.HEALTH_CHECK_RESPONSE;
    }

    /** The message itself: the answer does not depend on its body. */
    @Override
    public Payload read(Payload message) {
        return message;
    }

    @Override
    public MessageRight<Payload> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(Payload request, ClientConnection connection, Principal caller) {
        return HEALTHY;
    }

    @Override
    public Payload refused(CairnException failure) {
        return WireResponse.failed(responseType(), WireError.SERVER_ERROR, failure.text(), null);
    }
}
