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

/**
 * Brings what happens on this node to those who look. Costs a look at a counter while nobody does. Thread-safe; nothing
 * here blocks.
 */
public final class EventHub {

    /** The most streams at a time; who comes later asks again and again instead. */
    static final int MAX_STREAMS = 500;
    /** The longest pause of a stream without events, in production. */
    public static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final AccessPolicy policy;
    private final Timer timer;
    private final long heartbeatMillis;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean released;

    /** @param heartbeat the longest pause of a stream without events */
    public EventHub(AccessPolicy policy, Timer timer, Duration heartbeat) {
        this.policy = policy;
        this.timer = timer;
        this.heartbeatMillis = heartbeat.toMillis();
    }

    /**
     * A stream of what happens from now on.
     *
     * @param who the present identity of the reader; asked again for all that is sent
     * @param namespace whose changes are told
     * @param listenersOf the configuration whose listeners are told about, if any
     * @throws CairnException {@code BUSY} when there are too many already
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

    /** Ends all streams, and those to come after what they begin with: the server is about to stop. */
    public void release() {
        released = true;
        streams.forEach(EventStream::end);
    }

    void closed(EventStream stream) {
        if (streams.remove(stream)) {
            open.decrementAndGet();
        }
    }

    /** The number of open streams. */
    public int size() {
        return open.get();
    }

    public void configChanged(ConfigKey key) {
        tell(new LiveEvent.ConfigEvent(key));
    }

    public void serviceChanged(ServiceKey key) {
        tell(new LiveEvent.ServiceEvent(key));
    }

    public void connectionsChanged() {
        tell(new LiveEvent.ConnectionsEvent());
    }

    /** Called for every single listen, so it looks first whether anybody wants to know. */
    public void listenersChanged(ConfigKey key) {
        if (open.get() > 0) {
            for (EventStream stream : streams) {
                if (stream.wantsListenersOf(key)) {
                    stream.offer(new LiveEvent.ListenersEvent(key));
                }
            }
        }
    }

    private void tell(LiveEvent event) {
        if (open.get() > 0) {
            streams.forEach(stream -> stream.offer(event));
        }
    }
}
