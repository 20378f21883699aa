package io.cairn.client.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.config.GroupKey;
import io.cairn.api.wire.fuzzy.FuzzyPush;
import io.cairn.api.wire.fuzzy.FuzzyWatchRequest;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.client.internal.Connection;
import io.cairn.client.internal.Delivery;
import io.cairn.client.internal.Refusals;
import io.cairn.client.internal.ServerLink;
import io.cairn.client.internal.Steps;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All watched patterns, by the fuzzy watches of Nacos 3. */
final class Patterns implements ServerLink.Listener {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final String ABILITY = "fuzzyWatch";

    private static final Duration RESYNC = Duration.ofMinutes(3);

    private final ServerLink link;

    @GuardedBy("this")
    private final Map<FuzzyPattern, WatchedKey> patterns = new LinkedHashMap<>();

    /** The patterns that were sent over the present connection. */
    @GuardedBy("this")
    private final Set<FuzzyPattern> asked = new HashSet<>();

    private final Steps<FuzzyPattern> steps;

    Patterns(ServerLink link, Threads threads, Duration patience) {
        this.link = link;
        steps = new Steps<>(link, threads, patience, "watched", this::send);
        threads.repeat(RESYNC, () -> steps.markAll(all()));
        link.addListener(this);
        link.onPush(MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_REQUEST, (connection, push) -> receive(push));
        link.onPush(MessageCatalog.CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST, (connection, push) -> receive(push));
    }

    PatternWatch add(FuzzyPattern pattern, PatternListener listener, Executor executor) {
        Watch watch;
        Set<ConfigKey> complete = null;
        synchronized (this) {
            WatchedKey watched = patterns.computeIfAbsent(pattern, WatchedKey::new);
            watch = new Watch(watched, listener, executor);
            watched.watches.add(watch);
            watch.offer(watched.keys, Set.of());
            if (watched.complete) {
                complete = Set.copyOf(watched.keys);
            }
        }
        watch.delivery.start();
        if (complete != null) {
            watch.known.complete(complete);
        } else {
            steps.mark(pattern);
        }
        return watch;
    }

    private synchronized List<FuzzyPattern> all() {
        return List.copyOf(patterns.keySet());
    }

    @Override
    public void connected(Connection connection) {
        synchronized (this) {
            asked.clear();
        }
        steps.markAll(all());
    }

    @Override
    public boolean inStep() {
        return steps.inStep();
    }

    @Override
    public void closed(CairnException over) {
        steps.closed(over);
    }

    private CompletableFuture<?> send(FuzzyPattern pattern, Connection connection) {
        byte[] request;
        boolean watching;
        synchronized (this) {
            WatchedKey watched = patterns.get(pattern);
            watching = watched != null;
            if (watching ? !connection.offers(ABILITY) : !asked.remove(pattern)) {
                return watching ? unsupported(pattern, connection) : CompletableFuture.completedFuture(null);
            }
            if (watching) {
                asked.add(pattern);
            }
            request = request(pattern, watched);
        }
        return link.requestNow(connection, MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST, request)
                .thenAccept(payload -> {
                    AnswerFields answer = JsonInput.read(payload, AnswerFields::read);
                    if (answer.errorCode() == WireError.TOO_MANY_MATCHES) {
                        LOG.log(System.Logger.Level.WARNING, "{0}: {1}", pattern, answer.message());
                    } else if (!answer.succeeded() && watching) {
                        CairnException refused = Refusals.of("Watching " + pattern, answer);
                        if (Refusals.isDefinite(refused)) {
                            fail(pattern, refused);
                        }
                        throw refused;
                    }
                });
    }

    private CompletableFuture<?> unsupported(FuzzyPattern pattern, Connection connection) {
        CairnException why = new CairnException(
                ErrorCode.UNSUPPORTED,
                "The server at " + connection.address()
                        + " does not offer watching by pattern (Nacos 3.0 and newer, and Cairn, do): watch each"
                        + " configuration by its name instead");
        fail(pattern, why);
        return CompletableFuture.failedFuture(why);
    }

    /** Called with the lock held. */
    private static byte[] request(FuzzyPattern pattern, @Nullable WatchedKey watched) {
        Set<String> received = watched == null
                ? Set.of()
                : watched.keys.stream().map(GroupKey::spelled).collect(Collectors.toSet());
        String type = watched == null ? FuzzyWatchRequest.CANCEL : FuzzyWatchRequest.WATCH;
        boolean initializing = watched != null && !watched.complete;
        return new FuzzyWatchRequest(FuzzyWire.format(pattern), received, type, initializing).toJson("config", null);
    }

    private void fail(FuzzyPattern pattern, CairnException why) {
        List<Watch> told;
        synchronized (this) {
            WatchedKey watched = patterns.get(pattern);
            told = watched == null ? List.of() : List.copyOf(watched.watches);
        }
        told.forEach(watch -> watch.known.completeExceptionally(why));
    }

    private @Nullable String receive(Payload payload) {
        FuzzyPush push = JsonInput.read(payload, FuzzyPush::read);
        List<Watch> told = new ArrayList<>();
        Map<Watch, Set<ConfigKey>> complete = new LinkedHashMap<>();
        synchronized (this) {
            for (WatchedKey watched : patterns.values()) {
                if (push.pattern() == null || push.pattern().equals(FuzzyWire.format(watched.pattern))) {
                    watched.apply(push.names());
                    told.addAll(watched.watches);
                    if (FuzzyWire.FINISHED.equals(push.stage())) {
                        watched.complete = true;
                        watched.watches.forEach(watch -> complete.put(watch, Set.copyOf(watched.keys)));
                    }
                }
            }
        }
        // Called without the lock: a listener may run on this thread.
        told.forEach(watch -> watch.delivery.start());
        complete.forEach((watch, keys) -> watch.known.complete(keys));
        return push.requestId();
    }

    private void close(Watch watch) {
        WatchedKey watched = watch.watched;
        synchronized (this) {
            if (!watched.watches.remove(watch) || !watched.watches.isEmpty()) {
                return;
            }
            patterns.remove(watched.pattern, watched);
        }
        steps.mark(watched.pattern);
    }

    /** Protected by the lock of {@link Patterns}. */
    private static final class WatchedKey {

        private final FuzzyPattern pattern;
        private final Set<ConfigKey> keys = new LinkedHashSet<>();
        private final List<Watch> watches = new ArrayList<>();
        private boolean complete;

        WatchedKey(FuzzyPattern pattern) {
            this.pattern = pattern;
        }

        void apply(List<FuzzyPush.Named> names) {
            Set<ConfigKey> added = new LinkedHashSet<>();
            Set<ConfigKey> removed = new LinkedHashSet<>();
            for (FuzzyPush.Named named : names) {
                ConfigKey key = key(named);
                if (key == null || !pattern.matches(key.namespace(), key.group(), key.dataId())) {
                    continue;
                }
                if (named.gone() ? keys.remove(key) : keys.add(key)) {
                    (named.gone() ? removed : added).add(key);
                }
            }
            watches.forEach(watch -> watch.offer(added, removed));
        }

        /** An invalid name is skipped, so that the other names of the push are still applied. */
        private static @Nullable ConfigKey key(FuzzyPush.Named named) {
            try {
                return GroupKey.read(named.key());
            } catch (CairnException | IllegalArgumentException e) {
                LOG.log(System.Logger.Level.DEBUG, "A name is left out", e);
                return null;
            }
        }
    }

    private final class Watch implements PatternWatch {

        private final WatchedKey watched;
        private final CompletableFuture<Set<ConfigKey>> known = new CompletableFuture<>();
        private final Delivery<Map<ConfigKey, Boolean>> delivery;

        Watch(WatchedKey watched, PatternListener listener, Executor executor) {
            this.watched = watched;
            delivery = new Delivery<>(
                    watched.pattern.toString(),
                    executor,
                    (before, now) -> {
                        Map<ConfigKey, Boolean> both = new LinkedHashMap<>(before);
                        both.putAll(now);
                        return both;
                    },
                    changes -> changes.forEach((key, there) -> {
                        if (there) {
                            listener.onAdded(key);
                        } else {
                            listener.onRemoved(key);
                        }
                    }));
        }

        void offer(Set<ConfigKey> added, Set<ConfigKey> removed) {
            if (!added.isEmpty() || !removed.isEmpty()) {
                Map<ConfigKey, Boolean> changes = new LinkedHashMap<>();
                added.forEach(key -> changes.put(key, true));
                removed.forEach(key -> changes.put(key, false));
                delivery.offer(changes);
            }
        }

        @Override
        public Set<ConfigKey> keys() {
            synchronized (Patterns.this) {
                return Set.copyOf(watched.keys);
            }
        }

        @Override
        public CompletableFuture<Set<ConfigKey>> known() {
            return known.copy();
        }

        @Override
        public void close() {
            delivery.close();
            known.cancel(false);
            Patterns.this.close(this);
        }
    }
}
