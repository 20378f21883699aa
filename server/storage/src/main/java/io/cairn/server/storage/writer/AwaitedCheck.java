package io.cairn.server.storage.writer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The next read of the change log with its waiting callers, who share it if they ask before it begins. */
public final class AwaitedCheck {

    private final AtomicReference<@Nullable CompletableFuture<Boolean>> next = new AtomicReference<>();

    /** @param wake called by the first caller; starts the read soon */
    CompletableFuture<Boolean> ask(Runnable wake) {
        CompletableFuture<Boolean> present = next.get();
        if (present != null) {
            return present;
        }
        CompletableFuture<Boolean> own = new CompletableFuture<>();
        CompletableFuture<Boolean> first = next.updateAndGet(other -> other == null ? own : other);
        if (first == own) {
            wake.run();
        }
        return first == null ? own : first;
    }

    /** Begins the read; later callers wait for the next. Null without waiting callers. */
    @Nullable
    public CompletableFuture<Boolean> begin() {
        return next.getAndSet(null);
    }
}
