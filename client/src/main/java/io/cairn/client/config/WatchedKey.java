package io.cairn.client.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.ConfigKey;
import io.cairn.client.Origin;
import io.cairn.client.internal.Delivery;
import io.cairn.client.internal.RetryPause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One watched configuration: what is known of it, and who wants to know. Thread-safe. */
final class WatchedKey {

    private final ConfigKey key;

    @GuardedBy("this")
    private final List<Watch> watches = new ArrayList<>();

    @GuardedBy("this")
    private String serverMd5 = "";

    @GuardedBy("this")
    private @Nullable ConfigContent content;

    @GuardedBy("this")
    private boolean known;

    @GuardedBy("this")
    private boolean fetching;

    @GuardedBy("this")
    private boolean fetchAgain;

    private final RetryPause pause = new RetryPause();

    WatchedKey(ConfigKey key) {
        this.key = key;
    }

    ConfigKey key() {
        return key;
    }

    /** The digest by which the server knows what is known here; empty for nothing. */
    synchronized String serverMd5() {
        return serverMd5;
    }

    synchronized boolean isKnown() {
        return known;
    }

    /** How long to wait after a failure; see {@link RetryPause}. */
    RetryPause pause() {
        return pause;
    }

    /** Adds someone; they are called only after {@link Watch#start}. */
    synchronized Watch add(ConfigListener listener, Executor executor, Runnable onClose) {
        Watch watch = new Watch(listener, executor, onClose);
        watches.add(watch);
        if (known) {
            watch.offer(Optional.ofNullable(content));
        }
        return watch;
    }

    /** Whether nobody is left. */
    synchronized boolean remove(Watch watch) {
        watches.remove(watch);
        return watches.isEmpty();
    }

    /** Whether to fetch now; otherwise it is under way, and will be repeated. */
    synchronized boolean beginFetch() {
        fetchAgain = fetching;
        boolean begin = !fetching;
        fetching = true;
        return begin;
    }

    /** Ends a fetch; whether another one is due. */
    synchronized boolean endFetch() {
        fetching = false;
        boolean again = fetchAgain;
        fetchAgain = false;
        return again;
    }

    /**
     * Takes what the server or a snapshot says.
     *
     * @param md5 by which the server knows it; empty for nothing
     * @return whether that was news
     */
    boolean take(@Nullable ConfigContent now, String md5) {
        boolean news;
        List<Watch> told;
        synchronized (this) {
            if (now != null && now.origin() == Origin.SNAPSHOT && known) {
                return false;
            }
            news = !known || !md5.equals(serverMd5);
            ConfigContent before = content;
            content = now;
            serverMd5 = md5;
            known = true;
            boolean sameText = before != null && now != null && before.text().equals(now.text());
            told = news && !sameText ? List.copyOf(watches) : List.of();
            told.forEach(watch -> watch.offer(Optional.ofNullable(now)));
        }
        // Listeners may be called at once, and they may do anything.
        told.forEach(Watch::start);
        return news;
    }

    /** The server has confirmed that nothing else is there; what came from a snapshot has proved to be the newest. */
    void confirm() {
        pause.reset();
        boolean nothing;
        synchronized (this) {
            ConfigContent now = content;
            nothing = !known;
            if (now != null && now.origin() == Origin.SNAPSHOT) {
                content = ConfigContent.fetched(key, now.text(), now.type(), java.time.Instant.now());
            }
        }
        if (nothing) {
            take(null, "");
        }
    }

    /** Fails the futures of watches that wait for the first state. */
    void fail(Throwable why) {
        List<Watch> told;
        synchronized (this) {
            told = known ? List.of() : List.copyOf(watches);
        }
        told.forEach(watch -> watch.first.completeExceptionally(why));
    }

    /** One of those who want to know. */
    final class Watch implements ConfigWatch {

        private final CompletableFuture<Optional<ConfigContent>> first = new CompletableFuture<>();
        private final Delivery<Optional<ConfigContent>> delivery;
        private final Runnable onClose;
        /** The first state, once there is one. */
        @GuardedBy("WatchedKey.this")
        private Optional<ConfigContent> firstState = Optional.empty();

        @GuardedBy("WatchedKey.this")
        private boolean offered;

        private Watch(ConfigListener listener, Executor executor, Runnable onClose) {
            this.onClose = onClose;
            delivery = new Delivery<>(key.toString(), executor, (before, now) -> now, now -> {
                if (now.isPresent()) {
                    listener.onContent(now.get());
                } else {
                    listener.onAbsent(key);
                }
            });
        }

        /** Called with the lock of the key held, so that the states are offered in their order. */
        private void offer(Optional<ConfigContent> now) {
            synchronized (WatchedKey.this) {
                if (!offered) {
                    offered = true;
                    firstState = now;
                }
            }
            delivery.offer(now);
        }

        /** Calls the listener and those who wait for the first state, if there is anything to tell; hold no lock. */
        void start() {
            delivery.start();
            Optional<ConfigContent> known;
            synchronized (WatchedKey.this) {
                if (!offered) {
                    return;
                }
                known = firstState;
            }
            first.complete(known);
        }

        @Override
        public ConfigKey key() {
            return key;
        }

        @Override
        public Optional<ConfigContent> current() {
            synchronized (WatchedKey.this) {
                return Optional.ofNullable(content);
            }
        }

        @Override
        public CompletableFuture<Optional<ConfigContent>> known() {
            return first.copy();
        }

        @Override
        public void close() {
            delivery.close();
            first.cancel(false);
            onClose.run();
        }
    }
}
