package io.cairn.client.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.ConfigKey;
import io.cairn.client.connection.Origin;
import io.cairn.client.internal.Delivery;
import io.cairn.client.internal.RetryPause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One watched configuration: its known state and its watches. */
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

    /** The server's digest of the known content; empty when no content is known. */
    synchronized String serverMd5() {
        return serverMd5;
    }

    synchronized boolean isKnown() {
        return known;
    }

    RetryPause pause() {
        return pause;
    }

    /** Calls the listener after {@link Watch#start} only. */
    synchronized Watch add(ConfigListener listener, Executor executor, Runnable onClose) {
        Watch watch = new Watch(listener, executor, onClose);
        watches.add(watch);
        if (known) {
            watch.offer(Optional.ofNullable(content));
        }
        return watch;
    }

    synchronized boolean remove(Watch watch) {
        watches.remove(watch);
        return watches.isEmpty();
    }

    /** Returns whether to fetch now; during a fetch, the fetch is repeated after its end. */
    synchronized boolean beginFetch() {
        fetchAgain = fetching;
        boolean begin = !fetching;
        fetching = true;
        return begin;
    }

    synchronized boolean endFetch() {
        fetching = false;
        boolean again = fetchAgain;
        fetchAgain = false;
        return again;
    }

    /**
     * Stores a state from a server or a snapshot.
     *
     * @param md5 the server's digest; empty when the configuration does not exist
     * @return whether the state has changed
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
        // Called without the lock: a listener may run on this thread.
        told.forEach(Watch::start);
        return news;
    }

    /** The server has no newer state: a content from a snapshot becomes a content from the server. */
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

    void fail(Throwable why) {
        List<Watch> told;
        synchronized (this) {
            told = known ? List.of() : List.copyOf(watches);
        }
        told.forEach(watch -> watch.first.completeExceptionally(why));
    }

    final class Watch implements ConfigWatch {

        private final CompletableFuture<Optional<ConfigContent>> first = new CompletableFuture<>();
        private final Delivery<Optional<ConfigContent>> delivery;
        private final Runnable onClose;

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

        /** Called with the lock of the key held, so that states keep their order. */
        private void offer(Optional<ConfigContent> now) {
            synchronized (WatchedKey.this) {
                if (!offered) {
                    offered = true;
                    firstState = now;
                }
            }
            delivery.offer(now);
        }

        /** Delivers the state, if there is one. Call without locks. */
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
