package io.cairn.server.subscription;

import io.cairn.server.auth.Caller;
import io.cairn.server.naming.NamingStore;
import io.cairn.server.naming.NamingWrite;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Takes every write, and nothing outlives the test. */
public final class ForgetfulStore implements NamingStore {

    @Override
    public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
        committed.run();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void forEach(Consumer<NamingWrite> consumer) {}
}
