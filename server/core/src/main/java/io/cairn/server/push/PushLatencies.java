package io.cairn.server.push;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Recent latencies of one kind of pushes, from commit to acknowledgement: counted in steps of a fifth, and summed up every few
 * seconds. Recording takes no lock.
 */
public final class PushLatencies {

    /** For each doubling. */
    private static final int STEPS = 4;
    /** From a microsecond on; the last step, from about a minute on, has no end. */
    private static final int DOUBLINGS = 26;

    private final int kept;
    private final LongAdder[] counts = new LongAdder[STEPS * DOUBLINGS];
    private final LongAdder totalMicros = new LongAdder();
    private final LongAccumulator maxMicros = new LongAccumulator(Math::max, 0);

    @GuardedBy("itself")
    private final Deque<Sample> samples = new ArrayDeque<>();

    /**
     * One period.
     *
     * @param endMillis epoch milliseconds
     * @param count of acknowledgements; without any the others are 0
     * @param p99Micros of 99 of 100, to a fifth
     */
    public record Sample(long endMillis, long count, long meanMicros, long p99Micros, long maxMicros) {}

    /** @param kept the number of kept periods */
    public PushLatencies(int kept) {
        this.kept = kept;
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void record(long nanos) {
        long micros = Math.max(1, TimeUnit.NANOSECONDS.toMicros(nanos));
        counts[step(micros)].increment();
        totalMicros.add(micros);
        maxMicros.accumulate(micros);
    }

    private static int step(long micros) {
        int doubling = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
        int within = (int) ((micros - (1L << doubling)) * STEPS >> doubling);
        return Math.min(doubling * STEPS + within, STEPS * DOUBLINGS - 1);
    }

    /** The largest value of a step. */
    private static long end(int step) {
        long start = 1L << step / STEPS;
        return start + start * (step % STEPS + 1) / STEPS;
    }

    /** A latency recorded meanwhile counts in either period. */
    public void endPeriod(long nowMillis) {
        long[] seen = new long[counts.length];
        long count = 0;
        for (int i = 0; i < seen.length; i++) {
            seen[i] = counts[i].sumThenReset();
            count += seen[i];
        }
        long total = totalMicros.sumThenReset();
        long max = maxMicros.getThenReset();
        Sample sample = count == 0
                ? new Sample(nowMillis, 0, 0, 0, 0)
                : new Sample(nowMillis, count, total / count, Math.min(p99(seen, count), max), max);
        synchronized (samples) {
            samples.addLast(sample);
            if (samples.size() > kept) {
                samples.removeFirst();
            }
        }
    }

    private static long p99(long[] seen, long count) {
        long wanted = count - count / 100;
        long sum = 0;
        for (int i = 0; i < seen.length; i++) {
            sum += seen[i];
            if (sum >= wanted) {
                return end(i);
            }
        }
        return end(seen.length - 1);
    }

    /** Oldest first. */
    public List<Sample> samples() {
        synchronized (samples) {
            return new ArrayList<>(samples);
        }
    }
}
