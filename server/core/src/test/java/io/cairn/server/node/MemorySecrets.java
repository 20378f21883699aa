package io.cairn.server.node;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** The secrets of one database, which may be away. */
public final class MemorySecrets implements SecretStore {

    public final Map<String, String> stored = new ConcurrentHashMap<>();
    public volatile boolean away;

    private void reach() {
        if (away) {
            throw new CairnException(ErrorCode.UNAVAILABLE, "The database is away, for a test");
        }
    }

    @Override
    public Optional<String> get(String name) {
        reach();
        return Optional.ofNullable(stored.get(name));
    }

    @Override
    public String putIfAbsent(String name, String secret) {
        reach();
        String before = stored.putIfAbsent(name, secret);
        return before == null ? secret : before;
    }

    @Override
    public CompletionStage<String> replace(String name, UnaryOperator<String> change) {
        return CompletableFuture.supplyAsync(
                () -> {
                    reach();
                    String now = stored.computeIfPresent(name, (same, before) -> change.apply(before));
                    if (now == null) {
                        throw new CairnException(ErrorCode.NOT_FOUND, "no " + name);
                    }
                    return now;
                },
                Runnable::run);
    }
}
