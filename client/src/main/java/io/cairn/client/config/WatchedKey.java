package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.client.Origin;
import io.cairn.client.connection.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One watched configuration: what is known of it, and who wants to know. Thread-safe. */
final class WatchedKey {

    private final ConfigKey key;
    private final List<Watch> watches = new ArrayList<>();
    private String serverMd5 = "";
    private @Nullable ConfigContent content;
    private boolean known;
    private boolean fetching;
    private boolean fetchAgain;
    private int refusals;

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

    /** What is known already is told by {@link Watch#start}. */
    synchronized Watch add(ConfigListener listener, Executor executor, Runnable onClose) {
        Watch watch = new Watch(listener, executor, onClose);
        watches.add(watch);
        if (known) {
            watch.delivery.offer(Optional.ofNullable(content));
        }
        return watch;
    }

    /** Whether nobody is left. */
    synchronized boolean remove(Watch watch) {
        watches.remove(watch);
        return watches.isEmpty();
    }

    /** How often it was refused before. */
    synchronized int refused() {
        return refusals++;
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
        List<Watch> told = new ArrayList<>();
        boolean news = take(now, md5, told);
        told.forEach(Watch::start);
        return news;
    }

    private synchronized boolean take(@Nullable ConfigContent now, String md5, List<Watch> told) {
        if (now != null && now.origin() == Origin.SNAPSHOT && known) {
            return false;
        }
        boolean news = !known || !md5.equals(serverMd5);
        ConfigContent before = content;
        content = now;
        serverMd5 = md5;
        known = true;
        refusals = 0;
        boolean sameText = before != null && now != null && before.text().equals(now.text());
        if (news && !sameText) {
            watches.forEach(watch -> watch.delivery.offer(Optional.ofNullable(now)));
            told.addAll(watches);
        }
        return news;
    }

    /** The server has confirmed that nothing else is there; what came from a snapshot has proved to be the newest. */
    void confirm() {
        List<Watch> told = new ArrayList<>();
        confirm(told);
        told.forEach(Watch::start);
    }

    private synchronized void confirm(List<Watch> told) {
        ConfigContent now = content;
        if (!known) {
            take(null, "", told);
        } else if (now != null && now.origin() == Origin.SNAPSHOT) {
            content = ConfigContent.fetched(key, now.text(), now.type(), java.time.Instant.now());
        }
    }

    /** Whoever waits for the first state waits in vain for now. */
    void fail(Throwable why) {
        List<Watch> waiting;
        synchronized (this) {
            waiting = known ? List.of() : List.copyOf(watches);
        }
        waiting.forEach(watch -> watch.first.completeExceptionally(why));
    }

    /** One of those who want to know. */
    final class Watch implements ConfigWatch {

        private final CompletableFuture<Optional<ConfigContent>> first = new CompletableFuture<>();
        private final Delivery<Optional<ConfigContent>> delivery;
        private final Runnable onClose;

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

        /** Tells what it was given; called without a lock, for the listener may run in here. */
        void start() {
            delivery.start();
            Optional<Optional<ConfigContent>> now;
            synchronized (WatchedKey.this) {
                now = known ? Optional.of(Optional.ofNullable(content)) : Optional.empty();
            }
            now.ifPresent(first::complete);
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
