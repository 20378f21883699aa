package io.cairn.server.push;

import io.cairn.api.config.ContentDigest;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A receiver of changes: a long connection or a parked poll. */
public interface Watcher {

    /** True once it receives no more changes; watch lists then remove it by themselves. */
    boolean isClosed();

    /** The event loop on which {@link #changed} must be called; always the same one. */
    Executor loop();

    /** The address that the client names, or its remote address; empty if it has no meaning. */
    default String address() {
        return "";
    }

    /** Takes a change and delivers it when possible; must not block. */
    void changed(WatchedKey<?> watched, Push push);

    /**
     * A change could not be delivered, because of a defect or lack of memory. The watcher must not rely on getting it
     * later.
     */
    default void missed(String why) {}

    /**
     * Repeats the notification of a change, unless the first one is still pending. May be called by any thread.
     *
     * @param tell sends the notification
     */
    default void remind(WatchedKey<?> watched, Runnable tell) {
        tell.run();
    }

    /** The client and its state of that key; null if it does not watch the key. May be called by any thread. */
    default @Nullable Holding holding(WatchedKey<?> watched) {
        return null;
    }

    /** The keys that it watches. May be called by any thread. */
    default List<WatchedKey<?>> watching() {
        return List.of();
    }

    /**
     * A watching client and its state of a key.
     *
     * @param clientIp the address that the client names
     * @param connectionId of a long connection; empty for a parked poll
     * @param client name and version of its SDK; empty if not given
     * @param digest of the content that the client has reported, or was sent last; null for none
     * @param tag the client's tag for gray releases; null for none
     */
    record Holding(
            String clientIp,
            String connectionId,
            String client,
            @Nullable ContentDigest digest,
            @Nullable String tag) {}
}
