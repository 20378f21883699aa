package io.cairn.server.connection;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.PushReply;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.Principal;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushQueue;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.tls.CertifiedUser;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connected client: transport, watches and pending pushes. Callbacks and pushes run on the transport's event loop; shared fields
 * are final, volatile or guarded.
 */
public final class ClientConnection implements Watcher, PushQueue.Receiver, ClientsWithoutLogin.Presence {

    private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);

    /** A client that stays longer ignores the request to move; a later end has another cause. */
    private static final Duration TIME_TO_MOVE = Duration.ofMinutes(1);

    /** Of one client, which may never answer. */
    private static final int MOST_QUESTIONS = 16;

    private final String id;
    private final ClientIdentity identity;
    private final @Nullable CertifiedUser certified;
    private final Transport transport;
    private final ConnectionWatches watches = new ConnectionWatches();
    private final Environment environment;
    private volatile @Nullable AddressLoad load;
    private volatile @Nullable Principal watcher;
    private volatile boolean watchesPatterns;
    private volatile @Nullable String listenTag;
    private volatile @Nullable String app;
    private @Nullable PushQueue pushes;
    private @Nullable String detectionId;
    /** The unanswered questions, the oldest first; null without one. */
    private @Nullable Deque<Question> questions;

    private volatile @Nullable Timeout silence;
    private volatile boolean closed;
    private volatile @Nullable Long askedToMoveNanos;
    private volatile boolean expired;
    private volatile long lastActiveNanos = System.nanoTime();

    /** A request whose answer has data, beside the acknowledgement. */
    private record Question(String requestId, String replyType, Consumer<Payload> answer, Runnable dropped) {}

    public interface Transport {

        Executor loop();

        /** Whether a push would be written now instead of buffered. */
        boolean isReady();

        void send(Payload payload);

        /**
         * Ends the stream and closes the transport.
         *
         * @param stopping whether the server stops; the stream then fails, because some clients reconnect only after a failure, and
         *     the transport stays until the server closes all
         */
        void close(boolean stopping);
    }

    /** Services that all connections share. */
    public interface Environment {

        PushQueue newPushQueue(ClientConnection connection);

        void dropped(ClientConnection connection, String reason);
    }

    public ClientConnection(String id, ClientIdentity identity, Transport transport, Environment environment) {
        this(id, identity, null, transport, environment);
    }

    /** @param certified the user in the transport's certificate, or null */
    public ClientConnection(
            String id,
            ClientIdentity identity,
            @Nullable CertifiedUser certified,
            Transport transport,
            Environment environment) {
        this.id = id;
        this.identity = identity;
        this.certified = certified;
        this.transport = transport;
        this.environment = environment;
    }

    public String id() {
        return id;
    }

    /** The time of its set-up, epoch milliseconds. */
    public long openedMillis() {
        return openedMillis(id);
    }

    /** The time of the set-up in the id of a connection, epoch milliseconds; 0 for another text. */
    public static long openedMillis(String connectionId) {
        int end = connectionId.indexOf('_');
        try {
            return end < 0 ? 0 : Long.parseLong(connectionId.substring(0, end));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    public String remoteIp() {
        int first = id.indexOf('_');
        int last = id.lastIndexOf('_');
        return first < last ? id.substring(first + 1, last) : "";
    }

    public ClientIdentity identity() {
        return identity;
    }

    /** The application in its requests, else in its labels, else {@code unknown}. */
    public String app() {
        String named = app;
        return named != null ? named : identity.labels().getOrDefault("AppName", "unknown");
    }

    /** Notes the application in a request, if any. */
    public void setApp(@Nullable String name) {
        if (name != null && !name.isBlank() && !name.equals(app)) {
            app = name;
        }
    }

    /** The user in the transport's certificate, or null. */
    public @Nullable CertifiedUser certified() {
        return certified;
    }

    /** The load of its address, or null. */
    public @Nullable AddressLoad load() {
        return load;
    }

    /** Sets the load of its address, before the first request. */
    public ClientConnection from(@Nullable AddressLoad address) {
        load = address;
        return this;
    }

    /** The caller of the last watch here, or null. */
    public @Nullable Principal watcher() {
        return watcher;
    }

    public boolean watchesPatterns() {
        return watchesPatterns;
    }

    /** Sets the caller before it registers a watch. */
    public void watchedBy(Principal principal, boolean byPattern) {
        watcher = principal;
        watchesPatterns |= byPattern;
    }

    /** Sets the tag of its gray releases, or null. */
    public void listensAs(@Nullable String tag) {
        listenTag = tag;
    }

    void askedToMove() {
        askedToMoveNanos = System.nanoTime();
    }

    /** Whether the client was recently asked to move, which may explain the end of the connection. */
    public boolean isAskedToMove() {
        Long asked = askedToMoveNanos;
        return asked != null && System.nanoTime() - asked < TIME_TO_MOVE.toNanos();
    }

    public ConnectionWatches watches() {
        return watches;
    }

    public void touch() {
        lastActiveNanos = System.nanoTime();
    }

    /** As {@link System#nanoTime}. */
    public long lastActiveNanos() {
        return lastActiveNanos;
    }

    @Override
    public Executor loop() {
        return transport.loop();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isReady() {
        return transport.isReady();
    }

    @Override
    public void send(Payload payload) {
        transport.send(payload);
    }

    @Override
    public String address() {
        return identity.clientIp();
    }

    @Override
    public void changed(WatchedKey<?> watched, Push push) {
        int variant = watches.variant(watched);
        if (variant >= 0 && !closed) {
            pushQueue().add(watched, push, variant);
        }
    }

    /** Closes the transport: the client compares its state after it has reconnected. */
    @Override
    public void missed(String why) {
        drop("a change could not be pushed to it: " + why);
    }

    @Override
    public void remind(WatchedKey<?> watched, Runnable notification) {
        try {
            loop().execute(() -> {
                PushQueue present = pushes;
                if (!closed && (present == null || !present.holds(watched))) {
                    notification.run();
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended, and the connection with it", id, e);
        }
    }

    @Override
    public void whenSettled(WatchedKey<?> watched, Runnable callback) {
        try {
            loop().execute(() -> {
                PushQueue present = pushes;
                if (present == null) {
                    callback.run();
                } else {
                    present.whenSettled(watched, callback);
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended, and the connection with it", id, e);
            callback.run();
        }
    }

    @Override
    public @Nullable Holding holding(WatchedKey<?> watched) {
        return closed || watches.variant(watched) < 0
                ? null
                : new Holding(identity.reader(listenTag), id, identity.version(), watches.held(watched));
    }

    @Override
    public List<WatchedKey<?>> watching() {
        return watches.all();
    }

    /** As {@link #push(Object, Push, int)}, for a push with one form. */
    public void push(Object key, Push push) {
        push(key, push, 0);
    }

    /**
     * Sends a push outside the notification of watches, in place of the key's older push. On the event loop.
     *
     * @param variant the form for the client
     */
    public void push(Object key, Push push, int variant) {
        if (!closed) {
            pushQueue().add(key, push, variant);
        }
    }

    /** Drops the key's push, so that it is not sent or retried. On the event loop. */
    public void takeBack(Object key) {
        PushQueue present = pushes;
        if (present != null) {
            present.forget(key);
        }
    }

    private PushQueue pushQueue() {
        PushQueue present = pushes;
        if (present == null) {
            present = environment.newPushQueue(this);
            pushes = present;
        }
        return present;
    }

    /** Pending and unacknowledged ones; on the event loop. */
    int pushesUnderWay() {
        PushQueue present = pushes;
        return present == null ? 0 : present.size();
    }

    /** The transport is writable again; on the event loop. */
    public void ready() {
        PushQueue present = pushes;
        if (present != null) {
            present.drain();
        }
    }

    /**
     * Sends a request; the client may never answer. Beyond {@value #MOST_QUESTIONS} unanswered ones the oldest is dropped. On the event
     * loop.
     *
     * @param requestId in the request
     * @param answer receives the answer unless it is a failure; on the event loop
     * @param dropped called if later requests took its place
     */
    public void ask(Payload request, String requestId, String replyType, Consumer<Payload> answer, Runnable dropped) {
        Deque<Question> open = questions;
        if (open == null) {
            open = new ArrayDeque<>(2);
            questions = open;
        } else if (open.size() == MOST_QUESTIONS) {
            open.removeFirst().dropped.run();
        }
        open.addLast(new Question(requestId, replyType, answer, dropped));
        send(request);
    }

    /** Passes on the answer to a {@linkplain #ask request}; false for other messages. On the event loop. */
    public boolean answersQuestion(PushReply reply, Payload message) {
        Deque<Question> open = questions;
        if (open == null) {
            return false;
        }
        for (Question asked : open) {
            if (message.type().equals(asked.replyType) && asked.requestId.equals(reply.requestId())) {
                touch();
                open.remove(asked);
                if (open.isEmpty()) {
                    questions = null;
                }
                if (reply.success()) {
                    asked.answer.accept(message);
                }
                return true;
            }
        }
        return false;
    }

    /** The client has answered a push or detection; on the event loop. */
    public void answered(@Nullable String requestId, String replyType, boolean success) {
        touch();
        if (requestId != null && requestId.equals(detectionId)) {
            detectionId = null;
            return;
        }
        PushQueue present = pushes;
        if (present != null) {
            present.answered(requestId, replyType, success);
        }
    }

    /** Keeps the time-out of silence for its cancellation at the close. */
    void watchedBy(Timeout timeout) {
        silence = timeout;
        if (closed) {
            timeout.cancel();
        }
    }

    /** Notes the detection sent to the silent client; on the event loop. */
    void detecting(String requestId) {
        detectionId = requestId;
    }

    /** Whether the last detection is unanswered; on the event loop. */
    boolean isDetecting() {
        return detectionId != null;
    }

    @Override
    public void idle() {
        pushes = null;
    }

    /** Ends the connection because the token of its client has expired. The client connects again with another one. */
    public void dropExpired(String reason) {
        expired = true;
        drop(reason);
    }

    /** Whether the server ended the connection by {@link #dropExpired}. */
    public boolean isExpired() {
        return expired;
    }

    @Override
    public void drop(String reason) {
        environment.dropped(this, reason);
    }

    /** Ends the stream and closes the transport. */
    void closeLine(boolean stopping) {
        transport.close(stopping);
    }

    /** True on the first call. */
    boolean markClosed() {
        if (closed) {
            return false;
        }
        closed = true;
        Timeout watching = silence;
        if (watching != null) {
            watching.cancel();
        }
        PushQueue present = pushes;
        if (present != null) {
            present.clear();
            pushes = null;
        }
        return true;
    }
}
