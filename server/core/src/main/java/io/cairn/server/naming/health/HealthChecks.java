package io.cairn.server.naming.health;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every watched subject periodically, and reports changes of health. Each has its own time-out. At most
 * {@value #MAX_UNDER_WAY} probes run at once, further ones are queued. Databases have their own queue, with a probe for each of
 * their threads, so that slow ones delay no others.
 *
 * <p>No method blocks except {@link #close()}.
 */
public final class HealthChecks implements AutoCloseable {

    /** Without probes of databases. */
    public static final int MAX_UNDER_WAY = 64;

    private static final Logger LOG = LoggerFactory.getLogger(HealthChecks.class);

    private final Probe probe;
    private final AutoCloseable resources;
    private final Timer timer;
    private final Supplier<HealthCheckSettings> settings;
    private final HealthCheckMeters meters;
    private final Random random;
    private final LongSupplier nanoTime;
    private final FirstCheck firstCheck;
    /** Unhandled calls of {@link #drain}; the thread that raises it from zero does the work. */
    private final AtomicInteger drains = new AtomicInteger();

    /** Protects watches, states and lanes. No other lock is taken, and no subject called, while it is held. */
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Set<Watch> watches = new HashSet<>();

    @GuardedBy("lock")
    private boolean closed;

    private final Lane databases = new Lane(MysqlProbe.THREADS);
    private final Lane others;

    @FunctionalInterface
    public interface Random {

        /** From zero up to the bound, exclusive. */
        long below(long bound);
    }

    /**
     * @param timer of all checks; closed later
     * @param loops of the probes' connections; closed later
     * @param channels client sockets for the loops
     * @param settings read for each check; never blocks
     * @param firstCheck delay of a subject's first check
     */
    public HealthChecks(
            Timer timer,
            EventLoopGroup loops,
            ChannelFactory<? extends Channel> channels,
            Supplier<HealthCheckSettings> settings,
            FirstCheck firstCheck,
            MeterRegistry meters) {
        this(timer, new HealthProbes(loops, channels), settings, firstCheck, meters);
    }

    private HealthChecks(
            Timer timer,
            HealthProbes probes,
            Supplier<HealthCheckSettings> settings,
            FirstCheck firstCheck,
            MeterRegistry meters) {
        this(
                probes,
                probes,
                timer,
                settings,
                meters,
                bound -> ThreadLocalRandom.current().nextLong(bound),
                System::nanoTime,
                firstCheck,
                MAX_UNDER_WAY);
    }

    public HealthChecks(
            Probe probe,
            AutoCloseable resources,
            Timer timer,
            Supplier<HealthCheckSettings> settings,
            MeterRegistry meters,
            Random random,
            LongSupplier nanoTime,
            int maxUnderWay) {
        this(probe, resources, timer, settings, meters, random, nanoTime, FirstCheck.USUAL, maxUnderWay);
    }

    /**
     * @param resources closed after the last probe has started
     * @param nanoTime replaces {@link System#nanoTime} in tests
     * @param maxUnderWay concurrent probes without databases
     */
    private HealthChecks(
            Probe probe,
            AutoCloseable resources,
            Timer timer,
            Supplier<HealthCheckSettings> settings,
            MeterRegistry meters,
            Random random,
            LongSupplier nanoTime,
            FirstCheck firstCheck,
            int maxUnderWay) {
        this.probe = probe;
        this.resources = resources;
        this.timer = timer;
        this.settings = settings;
        this.random = random;
        this.nanoTime = nanoTime;
        this.firstCheck = firstCheck;
        this.others = new Lane(maxUnderWay);
        this.meters = new HealthCheckMeters(meters, this::watched);
    }

    private int watched() {
        synchronized (lock) {
            return watches.size();
        }
    }

    /** Checks the subject, first by {@link FirstCheck}. No effect after {@link #close()}. */
    public CheckHandle watch(Checked subject) {
        Duration first = firstCheck.next(random);
        Watch watch = new Watch(subject, first);
        synchronized (lock) {
            if (closed) {
                watch.cancel();
            } else {
                watches.add(watch);
                watch.schedule(first);
            }
        }
        return watch;
    }

    private void onDue(Watch watch) {
        if (watch.timedOut() && watch.enter(laneOf(watch.subject))) {
            drain();
        }
    }

    /** A subject whose check changes in the queue stays there for that round. */
    private Lane laneOf(Checked subject) {
        try {
            return subject.check().type() == HealthCheck.Type.MYSQL ? databases : others;
        } catch (Exception e) {
            // Called again when the probe starts; a failure is logged then.
            return others;
        }
    }

    /** Starts due probes up to the limit. An immediate result starts the next in this loop, without recursion. */
    private void drain() {
        if (drains.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            for (Watch next = take(); next != null; next = take()) {
                begin(next);
            }
            seen = drains.addAndGet(-seen);
        } while (seen != 0);
    }

    private @Nullable Watch take() {
        synchronized (lock) {
            Watch next = others.take();
            return next != null ? next : databases.take();
        }
    }

    private void begin(Watch watch) {
        Duration pause;
        try {
            HealthCheckSettings present = settings.get();
            HealthCheck check = watch.subject.check();
            if (present.enabled() && check.type() != HealthCheck.Type.NONE) {
                watch.prepare(check);
                long startedNanos = nanoTime.getAsLong();
                probe.check(watch.subject.host(), watch.subject.port(), check)
                        .whenComplete((result, failure) -> onResult(
                                watch,
                                present,
                                check,
                                failure == null ? result : notAsked(failure),
                                nanoTime.getAsLong() - startedNanos));
                return;
            }
            watch.skip();
            pause = present.interval(check.type()).max();
        } catch (Exception e) {
            pause = afterDefect(e);
        }
        end(watch, pause);
    }

    /** Probes turn failures into results. A failure here is a defect of this server. */
    private static ProbeResult notAsked(Throwable failure) {
        LOG.error("A health check failed by itself", failure);
        return ProbeResult.unknown(failure.toString());
    }

    private void onResult(
            Watch watch, HealthCheckSettings present, HealthCheck check, ProbeResult result, long tookNanos) {
        Duration pause;
        try {
            meters.checked(check.type(), result.outcome(), tookNanos);
            pause = watch.pace(present.interval(check.type()), result.outcome(), Duration.ofNanos(tookNanos));
            if (!watch.isStopped()) {
                watch.subject.checked(
                        result.outcome() == ProbeResult.Outcome.PASSED,
                        check.type() + " " + watch.subject.host() + ':' + watch.subject.port() + ": "
                                + result.reason());
            }
            // An earlier check's result does not change a stopped subject, or one with another check.
            if (!watch.isStopped() && check.equals(watch.subject.check())) {
                watch.evaluate(check, result, present.checkTimes());
            }
        } catch (Exception e) {
            pause = afterDefect(e);
        }
        end(watch, pause);
    }

    private Duration afterDefect(Exception e) {
        LOG.error("A subject of health checks failed; it is checked again later", e);
        return firstCheck.max();
    }

    /** Makes room, and schedules the next round. */
    private void end(Watch watch, Duration delay) {
        watch.leave(delay);
        drain();
    }

    private void stop(Watch watch) {
        synchronized (lock) {
            if (!watch.isStopped()) {
                watches.remove(watch);
                watch.cancel();
            }
        }
    }

    /** Stops every watch and closes connections; waits a few seconds for their threads. Idempotent. Not for event loops. */
    @Override
    public void close() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            watches.forEach(Watch::cancel);
            watches.clear();
            databases.clear();
            others.clear();
        }
        try {
            resources.close();
        } catch (Exception e) {
            LOG.warn("The health checks did not close in order", e);
        }
    }

    /** Watches with a common limit. */
    private final class Lane {

        private final int maxUnderWay;

        @GuardedBy("lock")
        private final Queue<Watch> due = new ArrayDeque<>();

        @GuardedBy("lock")
        private int underWay;

        Lane(int maxUnderWay) {
            this.maxUnderWay = maxUnderWay;
        }

        /** The next queued watch, then running; null without one, or at the limit. */
        private @Nullable Watch take() {
            synchronized (lock) {
                while (underWay < maxUnderWay) {
                    Watch next = due.poll();
                    if (next == null) {
                        return null;
                    }
                    if (!next.isStopped()) {
                        underWay++;
                        return next;
                    }
                }
                return null;
            }
        }

        private void add(Watch watch) {
            synchronized (lock) {
                due.add(watch);
            }
        }

        private void ended() {
            synchronized (lock) {
                underWay--;
            }
        }

        private void clear() {
            synchronized (lock) {
                due.clear();
            }
        }
    }

    /** A subject and its results. */
    private final class Watch implements CheckHandle {

        private final Checked subject;

        @GuardedBy("lock")
        private @Nullable Timeout timeout;

        @GuardedBy("lock")
        private boolean stopped;

        /** Of the present round. */
        @GuardedBy("lock")
        private Lane lane = others;

        // For one round at a time; rounds follow each other through the lock:
        private @Nullable HealthCheck last;
        private Duration interval;
        private int passes;
        private int failures;

        Watch(Checked subject, Duration interval) {
            this.subject = subject;
            this.interval = interval;
        }

        @Override
        public void stop() {
            HealthChecks.this.stop(this);
        }

        private boolean isStopped() {
            synchronized (lock) {
                return stopped;
            }
        }

        private void schedule(Duration delay) {
            synchronized (lock) {
                timeout = timer.newTimeout(fired -> onDue(this), delay.toNanos(), TimeUnit.NANOSECONDS);
            }
        }

        /** Notes a fired time-out; whether to check. */
        private boolean timedOut() {
            synchronized (lock) {
                timeout = null;
                return !stopped;
            }
        }

        /** Waits for its turn; false when stopped. */
        private boolean enter(Lane due) {
            synchronized (lock) {
                if (stopped) {
                    return false;
                }
                lane = due;
                due.add(this);
                return true;
            }
        }

        /** Ends a round, and schedules the next unless stopped. */
        private void leave(Duration delay) {
            synchronized (lock) {
                lane.ended();
                if (!stopped) {
                    schedule(delay);
                }
            }
        }

        private void cancel() {
            synchronized (lock) {
                stopped = true;
                if (timeout != null) {
                    timeout.cancel();
                    timeout = null;
                }
            }
        }

        /** A round without a check interrupts a row of results. */
        private void skip() {
            last = null;
        }

        private void prepare(HealthCheck check) {
            if (!check.equals(last)) {
                last = check;
                passes = 0;
                failures = 0;
            }
        }

        private void evaluate(HealthCheck check, ProbeResult result, int checkTimes) {
            boolean healthy = subject.isHealthy();
            switch (result.outcome()) {
                case PASSED -> {
                    failures = 0;
                    passes = healthy ? 0 : passes + 1;
                    if (passes >= checkTimes) {
                        flip(true, check, result);
                    }
                }
                case FAILED -> {
                    passes = 0;
                    failures = healthy ? failures + 1 : 0;
                    if (failures >= checkTimes) {
                        flip(false, check, result);
                    }
                }
                case DOWN -> {
                    passes = 0;
                    failures = 0;
                    if (healthy) {
                        flip(false, check, result);
                    }
                }
                case UNKNOWN -> {}
            }
        }

        private void flip(boolean healthy, HealthCheck check, ProbeResult result) {
            passes = 0;
            failures = 0;
            subject.report(healthy, check.type() + ": " + result.reason());
        }

        /** A healthy subject at the pace of its answers, an unhealthy one less and less often. */
        private Duration pace(HealthCheckSettings.Interval bounds, ProbeResult.Outcome outcome, Duration took) {
            interval = switch (outcome) {
                case PASSED -> bounds.next(interval, took);
                case FAILED -> bounds.next(interval, interval.multipliedBy(2));
                case DOWN -> bounds.next(interval, bounds.max());
                case UNKNOWN -> bounds.within(interval);
            };
            return interval;
        }
    }
}
