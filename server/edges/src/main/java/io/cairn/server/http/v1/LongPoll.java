package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Principal;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.push.Push;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.ParkedPoll;
import io.netty.util.Timeout;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A parked request, answered by the first change of its keys or its time-out. Belongs to the event loop of its connection; other
 * threads only read whether it is closed.
 */
final class LongPoll implements ParkedPoll {

    private final Executor loop;
    private final List<ListeningConfigs.Listened> records;
    private final Subscriptions<ConfigKey> subscriptions;
    private final ConfigListeners listeners;
    private final PollingClient client;
    private final Principal principal;
    private final CompletableFuture<HttpResponse> answer = new CompletableFuture<>();
    private final WatchedKey<?>[] watched;
    private @Nullable Timeout timeout;
    private volatile boolean closed;

    LongPoll(
            Executor loop,
            List<ListeningConfigs.Listened> records,
            Subscriptions<ConfigKey> subscriptions,
            ConfigListeners listeners,
            PollingClient client,
            Principal principal) {
        this.loop = loop;
        this.records = records;
        this.subscriptions = subscriptions;
        this.listeners = listeners;
        this.client = client;
        this.principal = principal;
        this.watched = new WatchedKey<?>[records.size()];
    }

    void park() {
        for (int i = 0; i < watched.length; i++) {
            watched[i] = subscriptions.watch(records.get(i).key(), this);
        }
        listeners.parked(this);
        // The contents of the client are known only now.
        records.forEach(record -> subscriptions.reported(record.key()));
    }

    /** Sets the time-out that {@link #answer} cancels. */
    void expires(Timeout at) {
        if (closed) {
            at.cancel();
        } else {
            timeout = at;
        }
    }

    CompletableFuture<HttpResponse> answered() {
        return answer;
    }

    @Override
    public Principal principal() {
        return principal;
    }

    @Override
    public Executor loop() {
        return loop;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void changed(WatchedKey<?> key, Push push) {
        for (int i = 0; i < watched.length; i++) {
            if (watched[i] == key) {
                answer(List.of(records.get(i)));
                return;
            }
        }
    }

    @Override
    public @Nullable Holding holding(WatchedKey<?> key) {
        for (int i = 0; i < watched.length; i++) {
            if (watched[i] == key) {
                return new Holding(client.reader(), "", client.sdk(), PollingClient.digest(records.get(i)));
            }
        }
        return null;
    }

    @Override
    public List<WatchedKey<?>> watching() {
        return Stream.of(watched).filter(Objects::nonNull).toList();
    }

    /** Answers with these keys, unless it was answered, and ends its subscriptions. */
    void answer(List<ListeningConfigs.Listened> changed) {
        if (close()) {
            client.answered(changed);
            answer.complete(ConfigEndpoints.notCachedJson(ListeningConfigs.encode(changed)));
        }
    }

    @Override
    public int listens() {
        return watched.length;
    }

    @Override
    public void expire() {
        if (close()) {
            // As in Nacos, only this answer may be cached.
            answer.complete(HttpResponse.ok(HttpResponse.JSON_UTF8, ""));
        }
    }

    /** Ends without an answer, because the client disconnected. */
    void abandon() {
        close();
    }

    @SuppressWarnings("unchecked") // All lists have ConfigKey as key
    private boolean close() {
        if (closed) {
            return false;
        }
        closed = true;
        listeners.answered(this);
        Timeout pending = timeout;
        if (pending != null) {
            pending.cancel();
        }
        for (WatchedKey<?> key : watched) {
            if (key != null) {
                subscriptions.closed((WatchedKey<ConfigKey>) key);
            }
        }
        return true;
    }
}
