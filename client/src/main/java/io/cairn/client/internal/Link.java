package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The present connection, and requests over it. */
public interface Link {

    /** Call before the start. */
    void onPush(String type, ServerLink.PushHandler handler);

    /** Call before the start. */
    void addListener(ServerLink.Listener listener);

    /** Null while disconnected. */
    @Nullable
    Connection connection();

    /** Sends a request over this connection and never over another. */
    CompletableFuture<Payload> requestNow(Connection connection, String type, byte[] json);

    /** Whether every server has failed since the last connection. */
    boolean down();

    /** The reason why the client is disconnected; empty before the first failure. */
    Optional<CairnException> lastFailure();

    boolean closed();
}
