package io.cairn.server.connection;

import static io.cairn.testing.Patience.PATIENCE;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** How much is on its way to the clients of a server. */
public final class PushesUnderWay {

    private PushesUnderWay() {}

    /** Pushes that wait or are unanswered for that connection. */
    public static int to(ClientConnection connection) {
        CompletableFuture<Integer> size = new CompletableFuture<>();
        connection.loop().execute(() -> size.complete(connection.pushesUnderWay()));
        return size.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }
}
