package io.cairn.server.push;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.gray.GrayClient;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A long connection or a parked poll that receives changes. */
public interface Watcher {

    /** Closed watchers receive no changes; watch lists remove them. */
    boolean isClosed();

    /** The one event loop on which {@link #changed} must be called. */
    Executor loop();

    /** The claimed address, else the remote one; may be empty. */
    default String address() {
        return "";
    }

    /** Delivers a change when possible; must not block. */
    void changed(WatchedKey<?> watched, Push push);

    /** A change was lost by a defect or lack of memory, and will not be delivered later. */
    default void missed(String why) {}

    /**
     * Repeats a notification, unless the first one is pending. By any thread.
     *
     * @param notification sends it
     */
    default void remind(WatchedKey<?> watched, Runnable notification) {
        notification.run();
    }

    /**
     * Calls back when the client has the last state pushed to it, or is closed: at once without an unacknowledged push, and for a
     * client that acknowledges none. By any thread.
     */
    default void whenSettled(WatchedKey<?> watched, Runnable callback) {
        callback.run();
    }

    /** The client and its state of the key; null for an unwatched key. By any thread. */
    default @Nullable Holding holding(WatchedKey<?> watched) {
        return null;
    }

    /** By any thread. */
    default List<WatchedKey<?>> watching() {
        return List.of();
    }

    /**
     * A client and its state of a key.
     *
     * @param reader with the claimed address
     * @param connectionId empty for a parked poll
     * @param client name and version of its SDK, or empty
     * @param digest of its reported or last sent content, or null
     */
    record Holding(
            GrayClient reader,
            String connectionId,
            String client,
            @Nullable ContentDigest digest) {

        public String clientIp() {
            return reader.address();
        }
    }
}
