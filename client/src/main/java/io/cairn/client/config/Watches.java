package io.cairn.client.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ClientConfigMetrics;
import io.cairn.api.wire.config.ClientConfigQuestion;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.api.wire.config.ConfigBatchListenRequest.Listened;
import io.cairn.api.wire.config.ConfigChangeNotify;
import io.cairn.api.wire.config.ConfigListenAnswer;
import io.cairn.api.wire.config.ConfigQueryRequest;
import io.cairn.api.wire.config.GroupKey;
import io.cairn.client.internal.Connection;
import io.cairn.client.internal.Refusals;
import io.cairn.client.internal.RetryPause;
import io.cairn.client.internal.ServerLink;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All watched configurations. Keys of uncertain state are marked: the client sends their digests, the server returns the
 * keys whose digests differ, and the client fetches those, until all digests match. A push fetches its key at once. A new connection marks all keys, and so does a timer every three minutes.
 */
final class Watches implements ServerLink.Listener {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final int KEYS_PER_REQUEST = 200;
    private static final long GATHER_MILLIS = 2;
    private static final Duration RESYNC = Duration.ofMinutes(3);

    private final ServerLink link;
    private final Threads threads;
    private final ConfigRequests requests;
    private final Snapshots snapshots;
    private final Map<ConfigKey, WatchedKey> keys = new ConcurrentHashMap<>();
    /** The same over all connections of this client. */
    private final String id = UUID.randomUUID().toString();

    @GuardedBy("this")
    private final Set<ConfigKey> marked = new HashSet<>();

    @GuardedBy("this")
    private final Set<ConfigKey> left = new HashSet<>();

    private final RetryPause pause = new RetryPause();

    @GuardedBy("this")
    private boolean syncing;

    Watches(ServerLink link, Threads threads, ConfigRequests requests, Snapshots snapshots) {
        this.link = link;
        this.threads = threads;
        this.requests = requests;
        this.snapshots = snapshots;
        link.addListener(this);
        link.onPush(MessageCatalog.CONFIG_CHANGE_NOTIFY_REQUEST, (connection, push) -> changed(push));
        link.onPush(MessageCatalog.CLIENT_CONFIG_METRIC_REQUEST, this::report);
        threads.repeat(RESYNC, this::markAll);
    }

    ConfigWatch add(ConfigKey key, ConfigListener listener, Executor executor) {
        WatchedKey.Watch[] watch = new WatchedKey.Watch[1];
        keys.compute(key, (same, present) -> {
            WatchedKey watched = present == null ? new WatchedKey(key) : present;
            watch[0] = watched.add(listener, executor, () -> remove(watched, watch[0]));
            return watched;
        });
        watch[0].start();
        mark(List.of(key));
        if (link.down()) {
            threads.transport().execute(this::useSnapshots);
        }
        return watch[0];
    }

    private void remove(WatchedKey watched, WatchedKey.Watch watch) {
        keys.computeIfPresent(watched.key(), (key, present) -> {
            if (present != watched || !watched.remove(watch)) {
                return present;
            }
            synchronized (this) {
                marked.remove(key);
                left.add(key);
            }
            return null;
        });
        syncSoon();
    }

    boolean isKnown(ConfigKey key) {
        WatchedKey watched = keys.get(key);
        return watched != null && watched.isKnown();
    }

    int size() {
        return keys.size();
    }

    @Override
    public void connected(Connection connection) {
        synchronized (this) {
            left.clear();
        }
        markAll();
    }

    @Override
    public void disconnected() {
        if (link.down()) {
            useSnapshots();
        }
    }

    @Override
    public synchronized boolean inStep() {
        return marked.isEmpty() && !syncing;
    }

    private void useSnapshots() {
        for (WatchedKey watched : keys.values()) {
            if (!watched.isKnown()) {
                snapshots.find(watched.key()).ifPresent(kept -> {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "{0} is taken from a snapshot of {1}",
                            kept.key(),
                            kept.fetchedAt());
                    watched.take(kept, kept.digest().toString());
                });
            }
        }
    }

    private @Nullable String changed(Payload push) {
        ConfigChangeNotify notify = JsonInput.read(push, ConfigChangeNotify::read);
        WatchedKey watched = find(notify.tenant(), notify.group(), notify.dataId());
        if (watched != null) {
            fetch(watched);
        }
        return notify.requestId();
    }

    /** Answers which contents this client holds. The answer is the acknowledgement. */
    private @Nullable String report(Connection connection, Payload push) {
        ClientConfigQuestion question = JsonInput.read(push, ClientConfigQuestion::read);
        Map<String, String> held = new LinkedHashMap<>();
        for (String asked : question.keys()) {
            WatchedKey watched = keys.get(GroupKey.read(asked));
            String md5 = watched == null ? "" : watched.serverMd5();
            if (!md5.isEmpty()) {
                held.put(asked, md5);
            }
        }
        connection.answer(ClientConfigMetrics.answer(question.requestId(), id, keys.size(), held));
        return null;
    }

    private @Nullable WatchedKey find(@Nullable String tenant, @Nullable String group, @Nullable String dataId) {
        return group == null || dataId == null
                ? null
                : keys.get(new ConfigKey(Namespace.ofNullable(tenant), group, dataId));
    }

    private void markAll() {
        mark(keys.keySet());
    }

    private void mark(Iterable<ConfigKey> these) {
        synchronized (this) {
            these.forEach(marked::add);
        }
        syncSoon();
    }

    private void syncSoon() {
        threads.timer().schedule(this::sync, GATHER_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** One request at a time, so that the server receives the start and end of listening in order. */
    private void sync() {
        List<ConfigKey> leaving;
        List<WatchedKey> listening = new ArrayList<>();
        Connection connection = link.connection();
        synchronized (this) {
            if (syncing || connection == null || marked.isEmpty() && left.isEmpty()) {
                return;
            }
            syncing = true;
            left.removeIf(keys::containsKey);
            leaving = List.copyOf(left);
            left.clear();
            Iterator<ConfigKey> next = marked.iterator();
            while (next.hasNext() && listening.size() < KEYS_PER_REQUEST) {
                WatchedKey watched = keys.get(next.next());
                next.remove();
                if (watched != null) {
                    listening.add(watched);
                }
            }
        }
        tellServer(connection, leaving, listening)
                .whenComplete((ignored, failure) -> synced(connection, listening, failure));
    }

    private CompletableFuture<Void> tellServer(
            Connection connection, List<ConfigKey> leaving, List<WatchedKey> listening) {
        try {
            return unlisten(connection, leaving).thenCompose(ignored -> listen(connection, listening));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void synced(Connection connection, List<WatchedKey> listening, @Nullable Throwable failure) {
        // After a move during the request, the former server received it.
        boolean again = failure != null || link.connection() != connection;
        synchronized (this) {
            syncing = false;
            if (again) {
                listening.forEach(watched -> marked.add(watched.key()));
            }
        }
        if (failure != null) {
            LOG.log(System.Logger.Level.DEBUG, "Listening has failed and is repeated", failure);
            threads.timer().schedule(this::sync, pause.next().toMillis(), TimeUnit.MILLISECONDS);
        } else {
            pause.reset();
            syncSoon();
        }
    }

    private CompletableFuture<Void> unlisten(Connection connection, List<ConfigKey> leaving) {
        if (leaving.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Listened> contexts = leaving.stream().map(key -> context(key, "")).toList();
        byte[] request = new ConfigBatchListenRequest(false, contexts).toJson();
        // After a failure the server keeps pushing, and the client ignores these pushes.
        return link.requestNow(connection, MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request)
                .handle((answer, failure) -> null);
    }

    private static Listened context(ConfigKey key, String md5) {
        return new Listened(key.group(), key.dataId(), ConfigRequests.tenant(key), md5);
    }

    private CompletableFuture<Void> listen(Connection connection, List<WatchedKey> listening) {
        if (listening.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Listened> contexts = listening.stream()
                .map(watched -> context(watched.key(), watched.serverMd5()))
                .toList();
        byte[] request = new ConfigBatchListenRequest(true, contexts).toJson();
        return link.requestNow(connection, MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request)
                .thenCompose(payload -> {
                    ConfigListenAnswer answer = JsonInput.read(payload, ConfigListenAnswer::read);
                    if (!answer.answer().succeeded()) {
                        return refused(connection, listening, Refusals.of("Listening", answer.answer()));
                    }
                    compare(listening, contexts, answer.changed());
                    return CompletableFuture.completedFuture(null);
                });
    }

    /** Finds rejected keys by halving the request, so that the other keys are still watched. */
    private CompletableFuture<Void> refused(Connection connection, List<WatchedKey> listening, CairnException why) {
        if (!Refusals.isDefinite(why)) {
            return CompletableFuture.failedFuture(why);
        }
        if (listening.size() > 1) {
            int half = listening.size() / 2;
            return listen(connection, listening.subList(0, half))
                    .thenCompose(ignored -> listen(connection, listening.subList(half, listening.size())));
        }
        listening.forEach(watched -> failed(watched, "is not watched", why));
        return CompletableFuture.completedFuture(null);
    }

    private void failed(WatchedKey watched, String what, CairnException why) {
        Duration later = watched.pause().next();
        LOG.log(
                watched.pause().failures() <= 1 ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                watched.key() + " " + what + ": " + why.getMessage());
        if (Refusals.isDefinite(why)) {
            watched.fail(why);
        }
        threads.timer().schedule(() -> mark(List.of(watched.key())), later.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void compare(List<WatchedKey> listening, List<Listened> contexts, List<ConfigQueryRequest> changed) {
        Set<WatchedKey> differing = new HashSet<>();
        for (ConfigQueryRequest one : changed) {
            WatchedKey watched = find(one.tenant(), one.group(), one.dataId());
            if (watched != null && differing.add(watched)) {
                fetch(watched);
            }
        }
        for (int i = 0; i < listening.size(); i++) {
            WatchedKey watched = listening.get(i);
            // The response confirms the digest that was sent, not a digest fetched since.
            if (!differing.contains(watched)
                    && watched.serverMd5().equals(contexts.get(i).md5())) {
                watched.confirm();
            }
        }
    }

    private void fetch(WatchedKey watched) {
        if (!watched.beginFetch()) {
            return;
        }
        requests.fetch(watched.key()).whenComplete((fetched, failure) -> {
            boolean again = watched.endFetch();
            if (failure != null) {
                failed(watched, "has changed, but", Refusals.of(failure));
            } else if (fetched.isPresent()) {
                ConfigContent content = fetched.get().content();
                if (watched.take(content, fetched.get().serverMd5())) {
                    snapshots.keep(content);
                    // The next comparison finds a publish that happened during the fetch.
                    mark(List.of(watched.key()));
                }
            } else if (watched.take(null, "")) {
                snapshots.forget(watched.key());
                mark(List.of(watched.key()));
            }
            if (again) {
                fetch(watched);
            }
        });
    }
}
