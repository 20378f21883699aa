package io.cairn.server.push;

import io.cairn.api.config.ContentDigest;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Something that hears of changes: a long connection, a parked poll. */
public interface Watcher {

    /** True once it will never hear of anything again; watch lists then forget it by themselves. */
    boolean isClosed();

    /** The event loop on which {@link #changed} must be called; always the same one. */
    Executor loop();

    /** The address that the client names, or the one it comes from; empty where it plays no part. */
    default String address() {
        return "";
    }

    /** Takes note of a change and delivers it when it can; must not block. */
    void changed(WatchedKey<?> watched, Push push);

    /** A change did not reach it, on a defect or for lack of memory: it must not rely on hearing of that one again. */
    default void missed(String why) {}

    /**
     * Has it told once more of a change that it was told of before, unless that is still on its way. May be called by any thread.
     *
     * @param tell does so
     */
    default void remind(WatchedKey<?> watched, Runnable tell) {
        tell.run();
    }

    /** Who it is and what it has of that key; null when it does not watch the key. May be called by any thread. */
    default @Nullable Holding holding(WatchedKey<?> watched) {
        return null;
    }

    /** The keys that it watches. May be called by any thread. */
    default List<WatchedKey<?>> watching() {
        return List.of();
    }

    /**
     * Who watches, and what he has.
     *
     * @param clientIp the address that the client names
     * @param connectionId of a long connection; empty for a parked poll
     * @param client name and version of its SDK; empty when not given
     * @param digest of the content that the client said it has, or was given last; null for none
     * @param tag by which the client is told apart; null for none
     */
    record Holding(
            String clientIp,
            String connectionId,
            String client,
            @Nullable ContentDigest digest,
            @Nullable String tag) {}
}
