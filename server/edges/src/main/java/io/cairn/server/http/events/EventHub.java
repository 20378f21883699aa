package io.cairn.server.http.events;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Identity;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends this node's events to readers. Without a reader an event costs a check of a counter. Does not block. */
public final class EventHub {

    /** The most streams; further readers have to poll. */
    static final int MAX_STREAMS = 500;
    /** The longest pause of a stream in production. */
    public static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final AccessPolicy policy;
    private final Timer timer;
    private final long heartbeatMillis;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean released;

    /** @param heartbeat the longest pause of a stream */
    public EventHub(AccessPolicy policy, Timer timer, Duration heartbeat) {
        this.policy = policy;
        this.timer = timer;
        this.heartbeatMillis = heartbeat.toMillis();
    }

    /**
     * Opens a stream of future events.
     *
     * @param who the present identity of the reader, checked for each event
     * @param listenersOf the configuration whose listeners are events, if any
     * @throws CairnException {@code BUSY} for too many streams
     */
    public EventStream open(Supplier<Identity> who, Namespace namespace, @Nullable ConfigKey listenersOf) {
        if (open.incrementAndGet() > MAX_STREAMS) {
            open.decrementAndGet();
            throw new CairnException(
                    ErrorCode.BUSY, "event streams: " + MAX_STREAMS + " are open, the most at a time; try again later");
        }
        EventStream stream = new EventStream(this, policy, who, namespace, listenersOf, timer, heartbeatMillis);
        streams.add(stream);
        if (released) {
            stream.end();
        }
        return stream;
    }

    /** Ends all streams, and later ones after their beginning: the server stops. */
    public void release() {
        released = true;
        streams.forEach(EventStream::end);
    }

    void closed(EventStream stream) {
        if (streams.remove(stream)) {
            open.decrementAndGet();
        }
    }

    public int size() {
        return open.get();
    }

    public void configChanged(ConfigKey key) {
        notifyStreams(new LiveEvent.ConfigEvent(key));
    }

    public void serviceChanged(ServiceKey key) {
        notifyStreams(new LiveEvent.ServiceEvent(key));
    }

    public void connectionsChanged() {
        notifyStreams(new LiveEvent.ConnectionsEvent());
    }

    /** Called for every listen, so it first checks for readers. */
    public void listenersChanged(ConfigKey key) {
        if (open.get() > 0) {
            for (EventStream stream : streams) {
                if (stream.wantsListenersOf(key)) {
                    stream.offer(new LiveEvent.ListenersEvent(key));
                }
            }
        }
    }

    private void notifyStreams(LiveEvent event) {
        if (open.get() > 0) {
            streams.forEach(stream -> stream.offer(event));
        }
    }
}
