package io.cairn.benchmark;

import io.cairn.benchmark.wire.AdsConnection;
import io.cairn.benchmark.wire.AdsSubscription;
import io.cairn.benchmark.wire.ProxyListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/** All proxies of a run, and the state that each of them has of every service. Used by one thread. */
final class MeshProxies {
    private static final int CLOSED_AT_ONCE = 64;
    private static final long ANSWER_SECONDS = 30;

    private final Session session;
    private final MeshServices services;
    private final AdsSubscription subscription;
    private final PushCount messages = new PushCount();
    private final LongAdder lost = new LongAdder();
    private final ConcurrentHistogram each = Measurement.newHistogram();
    private final ConcurrentHistogram last = Measurement.newHistogram();
    private final List<Proxy> proxies = new ArrayList<>();
    private volatile Round current = new Round(0, -1, 0, 0, new CountDownLatch(0));
    private volatile long latestNanos;
    private int played;

    MeshProxies(Session session, MeshServices services, AdsSubscription subscription) {
        this.session = session;
        this.services = services;
        this.subscription = subscription;
    }

    /** Opens them; returns when each has everything. */
    void open(int count, int atOnce, Duration limit) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            proxies.add(new Proxy());
        }
        Batch.run("open ADS streams", count, atOnce, limit, i -> session.openAds(subscription, proxies.get(i))
                .thenAccept(connection -> proxies.get(i).connection = connection));
    }

    /** Changes one service, and waits until every proxy has it; says how many have not within {@code seconds}. */
    long playRound(int service, double seconds) throws InterruptedException {
        var outstanding = new CountDownLatch(proxies.size());
        long started = System.nanoTime();
        played++;
        current = new Round(played, service, services.version(service) + 1, started, outstanding);
        Batch.run("change", 1, 1, Duration.ofSeconds(ANSWER_SECONDS), i -> services.change(service));
        if (!outstanding.await((long) (seconds * 1e9), TimeUnit.NANOSECONDS)) {
            return outstanding.getCount();
        }
        Measurement.record(last, latestNanos - started);
        return 0;
    }

    /** How many do not have the last version of each service, or have lost their stream. */
    long countWrong() {
        return proxies.stream().filter(proxy -> !proxy.isRight()).count();
    }

    /** When the last message of all came. */
    long latestNanos() {
        return proxies.stream().mapToLong(proxy -> proxy.updatedNanos).max().orElse(0);
    }

    long messages() {
        return messages.pushes();
    }

    long bytes() {
        return messages.bytes();
    }

    /** Streams that ended while they should not. */
    long lost() {
        return lost.sum();
    }

    /** From a change until a proxy has it. */
    ConcurrentHistogram each() {
        return each;
    }

    /** From a change until the last proxy has it. */
    ConcurrentHistogram last() {
        return last;
    }

    void close() throws InterruptedException {
        proxies.forEach(proxy -> proxy.closing = true);
        Batch.run("close", proxies.size(), CLOSED_AT_ONCE, Duration.ofSeconds(60), i -> proxies.get(i)
                .connection()
                .close());
        proxies.clear();
    }

    private record Round(int number, int service, int version, long startNanos, CountDownLatch outstanding) {}

    /** One proxy. Its listener is called on its event loop. */
    private final class Proxy implements ProxyListener {
        private final int[] versions = new int[services.count()];
        private volatile @Nullable AdsConnection connection;
        private volatile boolean closing;
        /** Written after the versions, so that a thread that reads it first sees them. */
        private volatile long updatedNanos;

        private int seen;

        Proxy() {
            Arrays.fill(versions, -1);
        }

        AdsConnection connection() {
            AdsConnection open = connection;
            if (open == null) {
                throw new IllegalStateException("an ADS stream is not open");
            }
            return open;
        }

        boolean isRight() {
            if (updatedNanos == 0 || !connection().isOpen()) {
                return false;
            }
            for (int i = 0; i < versions.length; i++) {
                if (versions[i] != services.version(i)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void endpoints(int service, int count, int sumOfPorts) {
            if (service < 0 || service >= versions.length) {
                return;
            }
            int version = services.versionOf(count, sumOfPorts);
            versions[service] = version;
            Round round = current;
            if (round.service == service && round.version == version && seen != round.number) {
                seen = round.number;
                long now = System.nanoTime();
                Measurement.record(each, now - round.startNanos);
                latestNanos = now;
                round.outstanding.countDown();
            }
        }

        @Override
        public void received(int bytes) {
            messages.pushed(bytes);
            updatedNanos = System.nanoTime();
        }

        @Override
        public void ended(@Nullable String failure) {
            if (!closing) {
                lost.increment();
            }
        }
    }
}
