package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The connection to a server at present, and requests over it. Thread-safe. */
public interface Link {

    /** Sets the receiver of the pushes of that type; before the start. */
    void onPush(String type, ServerLink.PushHandler handler);

    /** Adds a listener; before the start. */
    void addListener(ServerLink.Listener listener);

    /** The connection at present; null when there is none. */
    @Nullable
    Connection connection();

    /** Sends a request over that connection or none: another server need not be asked. */
    CompletableFuture<Payload> requestNow(Connection connection, String type, byte[] json);

    /** Whether all servers were tried in vain since the last connection. */
    boolean down();

    /** Why there is no connection; empty before the first failure. */
    Optional<CairnException> lastFailure();

    /** Whether the client is closed. */
    boolean closed();
}
