package io.cairn.client.config;

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
import io.cairn.client.connection.Connection;
import io.cairn.client.connection.Delivery;
import io.cairn.client.connection.Refusals;
import io.cairn.client.connection.ServerLink;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All watched patterns: the fuzzy watches of Nacos 3. Thread-safe; never blocks. */
final class Patterns implements ServerLink.Listener {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final String ABILITY = "fuzzyWatch";

    private final ServerLink link;
    private final Map<FuzzyPattern, Watched> patterns = new LinkedHashMap<>();

    Patterns(ServerLink link) {
        this.link = link;
        link.addListener(this);
        link.onPush(MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_REQUEST, (connection, push) -> told(push));
        link.onPush(MessageCatalog.CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST, (connection, push) -> told(push));
    }

    PatternWatch add(FuzzyPattern pattern, PatternListener listener, Executor executor) {
        Watch watch;
        boolean ask;
        Watched watched;
        synchronized (this) {
            Watched present = patterns.get(pattern);
            ask = present == null;
            watched = present == null ? new Watched(pattern) : present;
            patterns.put(pattern, watched);
            watch = new Watch(watched, listener, executor);
            watched.watches.add(watch);
            watch.tell(watched.keys, Set.of());
            if (watched.complete) {
                watch.known.complete(Set.copyOf(watched.keys));
            }
        }
        Connection connection = link.connection();
        if (ask && connection != null) {
            ask(connection, watched);
        }
        return watch;
    }

    @Override
    public void connected(Connection connection) {
        List<Watched> all;
        synchronized (this) {
            all = List.copyOf(patterns.values());
        }
        all.forEach(watched -> ask(connection, watched));
    }

    private void ask(Connection connection, Watched watched) {
        if (!connection.offers(ABILITY)) {
            fail(
                    watched,
                    new CairnException(
                            ErrorCode.UNSUPPORTED,
                            "The server at " + connection.address()
                                    + " does not offer watching by pattern (Nacos 3.0 and newer, and Cairn, do): watch each"
                                    + " configuration by its name instead"));
            return;
        }
        byte[] request = request(watched, FuzzyWatchRequest.WATCH);
        link.requestNow(connection, MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST, request)
                .whenComplete((payload, failure) -> {
                    if (failure != null) {
                        // The connection is about to be replaced, and then all patterns are asked for again.
                        connectionFailed(watched, failure);
                        return;
                    }
                    AnswerFields answer = JsonInput.read(payload, AnswerFields::read);
                    if (answer.errorCode() == WireError.TOO_MANY_MATCHES) {
                        LOG.log(System.Logger.Level.WARNING, "{0}: {1}", watched.pattern, answer.message());
                    } else if (!answer.succeeded()) {
                        fail(watched, Refusals.of("Watching " + watched.pattern, answer));
                    }
                });
    }

    private void connectionFailed(Watched watched, Throwable failure) {
        LOG.log(System.Logger.Level.WARNING, watched.pattern + " is not watched yet: " + failure.getMessage());
    }

    private synchronized byte[] request(Watched watched, String type) {
        Set<String> received = watched.keys.stream().map(GroupKey::spelled).collect(Collectors.toSet());
        boolean initializing = type.equals(FuzzyWatchRequest.WATCH) && !watched.complete;
        return new FuzzyWatchRequest(FuzzyWire.spell(watched.pattern), received, type, initializing)
                .toJson("config", null);
    }

    private synchronized void fail(Watched watched, CairnException why) {
        LOG.log(System.Logger.Level.WARNING, why.getMessage());
        watched.watches.forEach(watch -> watch.known.completeExceptionally(why));
    }

    private synchronized @Nullable String told(Payload payload) {
        FuzzyPush push = JsonInput.read(payload, FuzzyPush::read);
        for (Watched watched : patterns.values()) {
            if (push.pattern() == null || push.pattern().equals(FuzzyWire.spell(watched.pattern))) {
                watched.apply(push.names());
                if (FuzzyWire.FINISHED.equals(push.stage())) {
                    watched.finish();
                }
            }
        }
        return push.requestId();
    }

    private void close(Watch watch) {
        byte[] cancel;
        synchronized (this) {
            Watched watched = watch.watched;
            if (!watched.watches.remove(watch) || !watched.watches.isEmpty()) {
                return;
            }
            cancel = request(watched, FuzzyWatchRequest.CANCEL);
            patterns.remove(watched.pattern, watched);
        }
        Connection connection = link.connection();
        if (connection != null) {
            link.requestNow(connection, MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST, cancel);
        }
    }

    private static final class Watched {

        private final FuzzyPattern pattern;
        private final Set<ConfigKey> keys = new LinkedHashSet<>();
        private final List<Watch> watches = new ArrayList<>();
        private boolean complete;

        Watched(FuzzyPattern pattern) {
            this.pattern = pattern;
        }

        void apply(List<FuzzyPush.Named> names) {
            Set<ConfigKey> added = new LinkedHashSet<>();
            Set<ConfigKey> removed = new LinkedHashSet<>();
            for (FuzzyPush.Named named : names) {
                ConfigKey key = GroupKey.read(named.key());
                if (!pattern.matches(key.namespace(), key.group(), key.dataId())) {
                    continue;
                }
                if (named.gone() ? keys.remove(key) : keys.add(key)) {
                    (named.gone() ? removed : added).add(key);
                }
            }
            watches.forEach(watch -> watch.tell(added, removed));
        }

        void finish() {
            complete = true;
            watches.forEach(watch -> watch.known.complete(Set.copyOf(keys)));
        }
    }

    private final class Watch implements PatternWatch {

        private final Watched watched;
        private final CompletableFuture<Set<ConfigKey>> known = new CompletableFuture<>();
        private final Delivery<Map<ConfigKey, Boolean>> delivery;

        Watch(Watched watched, PatternListener listener, Executor executor) {
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

        void tell(Set<ConfigKey> added, Set<ConfigKey> removed) {
            if (!added.isEmpty() || !removed.isEmpty()) {
                Map<ConfigKey, Boolean> changes = new LinkedHashMap<>();
                added.forEach(key -> changes.put(key, true));
                removed.forEach(key -> changes.put(key, false));
                delivery.tell(changes);
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
