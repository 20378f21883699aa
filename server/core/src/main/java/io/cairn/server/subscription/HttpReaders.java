package io.cairn.server.subscription;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.ServiceKey;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The clients that list services over HTTP and get no pushes. Each list says how long it may be used, so a client has the present
 * list when it lists again, or after that time. A client that uses lists for longer is not known. Never blocks.
 */
public final class HttpReaders implements ListAcknowledgements {

    static final int MAX_READERS = 10_000;

    private static final int MAX_TEXT = 128;

    private final LongSupplier cacheMillis;
    private final Timer timer;
    private final LongSupplier nanoTime;
    /** The time of the last list. */
    private final Map<Reader, Long> listed = new ConcurrentHashMap<>();

    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();
    private final AtomicLong purgedNanos;
    /** When a client was not noted for lack of room; {@code listed} is then incomplete for a while. */
    private volatile long overflowNanos;

    private volatile boolean overflowed;

    private record Reader(ServiceKey service, String ip, String agent, String app, String clusters) {

        Reader {
            agent = cut(agent);
            app = cut(app);
            clusters = cut(clusters);
        }

        /** The texts are the client's and live on after the request. */
        private static String cut(String text) {
            return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
        }

        // Written out, because each list over HTTP pays for them.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Reader reader
                    && ip.equals(reader.ip)
                    && service.equals(reader.service)
                    && agent.equals(reader.agent)
                    && app.equals(reader.app)
                    && clusters.equals(reader.clusters);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * service.hashCode() + ip.hashCode()) + agent.hashCode();
        }

        LateSubscriber described() {
            return new LateSubscriber(LateSubscriber.HTTP, "", ip, 0, agent, app, clusters, "", "");
        }
    }

    /**
     * @param cacheMillis the time for which a list may be used
     * @param nanoTime the present time
     */
    public HttpReaders(LongSupplier cacheMillis, Timer timer, LongSupplier nanoTime) {
        this.cacheMillis = cacheMillis;
        this.timer = timer;
        this.nanoTime = nanoTime;
        this.purgedNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /** Notes a client; call it before the list is read. */
    public void listed(Selection selection, String ip, String agent, String app) {
        Reader reader = new Reader(selection.service(), ip, agent, app, selection.clusters());
        long now = nanoTime.getAsLong();
        if (listed.replace(reader, now) == null) {
            if (listed.size() >= MAX_READERS) {
                purge(now);
            }
            if (listed.size() >= MAX_READERS) {
                overflowNanos = now;
                overflowed = true;
            } else {
                listed.put(reader, now);
            }
        }
        for (Wait wait : waits) {
            wait.check();
        }
    }

    private long validNanos() {
        return TimeUnit.MILLISECONDS.toNanos(cacheMillis.getAsLong());
    }

    /** At most once a second. */
    private void purge(long now) {
        long before = purgedNanos.get();
        if (now - before >= TimeUnit.SECONDS.toNanos(1) && purgedNanos.compareAndSet(before, now)) {
            long valid = validNanos();
            listed.values().removeIf(at -> now - at >= valid);
        }
    }

    private Map<Reader, Long> readers(ServiceKey service) {
        long now = nanoTime.getAsLong();
        long valid = validNanos();
        Map<Reader, Long> readers = new HashMap<>();
        listed.forEach((reader, at) -> {
            if (reader.service().equals(service) && now - at < valid) {
                readers.put(reader, at);
            }
        });
        if (overflowed && now - overflowNanos < valid) {
            String unknown = "more than " + MAX_READERS + " clients list over HTTP";
            readers.put(new Reader(service, "", unknown, "", ""), overflowNanos);
        }
        return readers;
    }

    @Override
    public CompletionStage<Result> await(ServiceKey service, Duration within) {
        Map<Reader, Long> readers = readers(service);
        if (readers.isEmpty()) {
            return CompletableFuture.completedFuture(new Result(0, List.of()));
        }
        Wait wait = new Wait(readers);
        waits.add(wait);
        wait.begin(within);
        return wait.result;
    }

    @Override
    public CompletionStage<Result> late(ServiceKey service) {
        return CompletableFuture.completedFuture(
                new Result(0, described(readers(service).keySet())));
    }

    private static List<LateSubscriber> described(Set<Reader> readers) {
        List<LateSubscriber> all = new ArrayList<>();
        readers.forEach(reader -> all.add(reader.described()));
        all.sort(LateSubscriber.BY_ADDRESS);
        return all;
    }

    private final class Wait {

        private final CompletableFuture<Result> result = new CompletableFuture<>();
        private final long begunNanos = nanoTime.getAsLong();
        private final long validNanos = validNanos();
        private final Map<Reader, Long> readers;

        @GuardedBy("this")
        private final Set<Reader> behind;

        Wait(Map<Reader, Long> readers) {
            this.readers = Map.copyOf(readers);
            this.behind = new HashSet<>(readers.keySet());
        }

        void begin(Duration within) {
            long limit = within.toNanos();
            long last = 0;
            for (long at : readers.values()) {
                last = Math.max(last, at + validNanos - begunNanos);
            }
            if (last < limit) {
                timer.newTimeout(fired -> check(), last, TimeUnit.NANOSECONDS);
            }
            timer.newTimeout(fired -> end(), limit, TimeUnit.NANOSECONDS);
            check();
        }

        void check() {
            long now = nanoTime.getAsLong();
            synchronized (this) {
                behind.removeIf(reader -> {
                    long before = readers.getOrDefault(reader, now);
                    Long at = listed.get(reader);
                    return at != null && at - begunNanos > 0 || now - before >= validNanos;
                });
                if (!behind.isEmpty()) {
                    return;
                }
            }
            end();
        }

        private void end() {
            waits.remove(this);
            Set<Reader> late;
            synchronized (this) {
                late = Set.copyOf(behind);
            }
            result.complete(new Result(readers.size() - late.size(), described(late)));
        }
    }
}
