package io.cairn.server.connection;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.PushReply;
import io.cairn.server.auth.Principal;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushQueue;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.tls.CertifiedUser;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connected client: its transport, what it watches, and what is on its way to it. Callbacks and pushes run on the
 * transport's event loop; what other threads may read is final, volatile or guarded.
 */
public final class ClientConnection implements Watcher, PushQueue.Receiver {

    private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);

    /** A client that has not followed by then has ignored it; its connection ends for another reason. */
    private static final Duration TIME_TO_MOVE = Duration.ofMinutes(1);

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
    private @Nullable PushQueue pushes;
    private @Nullable String detectionId;
    private @Nullable Question question;
    private volatile @Nullable Timeout silence;
    private volatile boolean closed;
    private volatile @Nullable Long askedToMoveNanos;
    private volatile long lastActiveNanos = System.nanoTime();

    /** Something that the client was asked, whose answer says more than that it was understood. */
    private record Question(String requestId, String replyType, Consumer<Payload> answer) {}

    /** The transport below a connection. */
    public interface Transport {

        Executor loop();

        /** Whether a push would be handed to the transport now rather than pile up before it. */
        boolean isReady();

        void send(Payload payload);

        /**
         * Ends the stream and closes the transport.
         *
         * @param stopping whether the server goes away; the stream then ends as failed, because some clients connect
         *     anew only after a failure
         */
        void close(boolean stopping);
    }

    /** What all connections share. */
    public interface Environment {

        PushQueue newPushQueue(ClientConnection connection);

        void dropped(ClientConnection connection, String reason);
    }

    public ClientConnection(String id, ClientIdentity identity, Transport transport, Environment environment) {
        this(id, identity, null, transport, environment);
    }

    /** @param certified whom the certificate of the transport names; null when none does */
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

    /** The address that its transport comes from. */
    public String remoteIp() {
        int first = id.indexOf('_');
        int last = id.lastIndexOf('_');
        return first < last ? id.substring(first + 1, last) : "";
    }

    public ClientIdentity identity() {
        return identity;
    }

    /** Whom the certificate of its transport names; null when none does. */
    public @Nullable CertifiedUser certified() {
        return certified;
    }

    /** What else comes from its address; null where that is not known. */
    public @Nullable AddressLoad load() {
        return load;
    }

    /** Notes what it belongs to; before it serves requests. */
    public ClientConnection from(@Nullable AddressLoad address) {
        load = address;
        return this;
    }

    /** Who has begun to watch something over it; null when nobody has. */
    public @Nullable Principal watcher() {
        return watcher;
    }

    /** Whether it watches by patterns as well. */
    public boolean watchesPatterns() {
        return watchesPatterns;
    }

    /** Notes who begins to watch something; before he does. */
    public void watchedBy(Principal principal, boolean byPattern) {
        watcher = principal;
        watchesPatterns |= byPattern;
    }

    /** Notes the tag with which it listens to configurations, null for none; it is to have what is released by that tag. */
    public void listensAs(@Nullable String tag) {
        listenTag = tag;
    }

    /** Notes that the client is asked to connect to another server. */
    void askedToMove() {
        askedToMoveNanos = System.nanoTime();
    }

    /** Whether the client was asked to connect to another server a short time ago, so that this may be why the connection ends. */
    public boolean isAskedToMove() {
        Long asked = askedToMoveNanos;
        return asked != null && System.nanoTime() - asked < TIME_TO_MOVE.toNanos();
    }

    /** What it watches. */
    public ConnectionWatches watches() {
        return watches;
    }

    /** Notes that the client has been heard of. */
    public void touch() {
        lastActiveNanos = System.nanoTime();
    }

    /** When the client was last heard of, as {@link System#nanoTime}. */
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
        int spelling = watches.spelling(watched);
        if (spelling >= 0 && !closed) {
            pushQueue().add(watched, push, spelling);
        }
    }

    /** Closes the transport: the client compares all it has once it is back. */
    @Override
    public void missed(String why) {
        drop("a change could not be pushed to it: " + why);
    }

    @Override
    public void remind(WatchedKey<?> watched, Runnable tell) {
        try {
            loop().execute(() -> {
                PushQueue present = pushes;
                if (!closed && (present == null || !present.holds(watched))) {
                    tell.run();
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended, and the connection with it", id, e);
        }
    }

    @Override
    public @Nullable Holding holding(WatchedKey<?> watched) {
        return closed || watches.spelling(watched) < 0
                ? null
                : new Holding(identity.clientIp(), id, identity.version(), watches.held(watched), listenTag);
    }

    @Override
    public List<WatchedKey<?>> watching() {
        return watches.all();
    }

    /** As {@link #push(Object, Push, int)}, for a push that has one form. */
    public void push(Object key, Push push) {
        push(key, push, 0);
    }

    /**
     * Sends a push of something that is not watched, or in another way; an older one of the same key is forgotten. On the event loop.
     *
     * @param spelling the form of the push that the client gets
     */
    public void push(Object key, Push push, int spelling) {
        if (!closed) {
            pushQueue().add(key, push, spelling);
        }
    }

    /** Takes back a push of {@link #push} that waits or is unanswered: it is not repeated any more. On the event loop. */
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

    /** Pushes that wait or are unanswered; on the event loop. */
    int pushesUnderWay() {
        PushQueue present = pushes;
        return present == null ? 0 : present.size();
    }

    /** The transport takes more again; on the event loop. */
    public void ready() {
        PushQueue present = pushes;
        if (present != null) {
            present.drain();
        }
    }

    /**
     * Asks the client something, in place of what it was asked before; it may never answer. On the event loop.
     *
     * @param requestId that the request names
     * @param answer takes the answer, unless it reports a failure; on the event loop
     */
    public void ask(Payload request, String requestId, String replyType, Consumer<Payload> answer) {
        question = new Question(requestId, replyType, answer);
        send(request);
    }

    /** Whether that is the answer to what the client was {@linkplain #ask asked}, which is then handed on; on the event loop. */
    public boolean answersQuestion(PushReply reply, Payload message) {
        Question asked = question;
        if (asked == null || !message.type().equals(asked.replyType) || !asked.requestId.equals(reply.requestId())) {
            return false;
        }
        touch();
        question = null;
        if (reply.success()) {
            asked.answer.accept(message);
        }
        return true;
    }

    /** The client answered a push or a detection; on the event loop. */
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

    /** Keeps the time-out that watches over its silence, so that closing takes it off the wheel. */
    void watchedBy(Timeout timeout) {
        silence = timeout;
        if (closed) {
            timeout.cancel();
        }
    }

    /** Remembers the question whether the client is still there; on the event loop. */
    void detecting(String requestId) {
        detectionId = requestId;
    }

    /** Whether the last question is still unanswered; on the event loop. */
    boolean isDetecting() {
        return detectionId != null;
    }

    @Override
    public void idle() {
        pushes = null;
    }

    @Override
    public void drop(String reason) {
        environment.dropped(this, reason);
    }

    /** Ends the stream and closes the transport. */
    void closeLine(boolean stopping) {
        transport.close(stopping);
    }

    /** Marks it as gone; true the first time. */
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
