package io.cairn.server.http.core;

import io.cairn.server.push.PushLatencies;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The latencies of pushes of one or all nodes, by period, oldest first. */
public record PushLatency(long periodSeconds, List<Sample> config, List<Sample> service) {

    /**
     * One period.
     *
     * @param at its end in epoch milliseconds
     * @param p99Micros the limit of 99 of 100 pushes; of several nodes, the highest
     */
    public record Sample(long at, long count, long meanMicros, long p99Micros, long maxMicros) {

        static Sample of(PushLatencies.Sample sample) {
            return new Sample(
                    sample.endMillis(), sample.count(), sample.meanMicros(), sample.p99Micros(), sample.maxMicros());
        }

        private Sample with(Sample other) {
            long all = count + other.count;
            long mean = all == 0 ? 0 : (count * meanMicros + other.count * other.meanMicros) / all;
            return new Sample(
                    at, all, mean, Math.max(p99Micros, other.p99Micros), Math.max(maxMicros, other.maxMicros));
        }

        private Sample endingAt(long end) {
            return new Sample(end, count, meanMicros, p99Micros, maxMicros);
        }
    }

    public PushLatency {
        config = List.copyOf(config);
        service = List.copyOf(service);
    }

    /**
     * Adds up the latencies of several nodes. Their periods end at different times, so periods that end within the same multiple of
     * a period become one.
     *
     * @param nodes at least one
     * @param kept the most periods; the oldest are left out
     */
    static PushLatency of(List<PushLatency> nodes, int kept) {
        PushLatency first = nodes.get(0);
        return nodes.size() == 1
                ? first
                : new PushLatency(
                        first.periodSeconds,
                        joined(first.periodSeconds, nodes, PushLatency::config, kept),
                        joined(first.periodSeconds, nodes, PushLatency::service, kept));
    }

    private static List<Sample> joined(
            long periodSeconds, List<PushLatency> nodes, Function<PushLatency, List<Sample>> kind, int kept) {
        long periodMillis = TimeUnit.SECONDS.toMillis(Math.max(1, periodSeconds));
        TreeMap<Long, Sample> periods = new TreeMap<>();
        for (PushLatency node : nodes) {
            for (Sample sample : kind.apply(node)) {
                long end = (sample.at / periodMillis + 1) * periodMillis;
                periods.merge(end, sample.endingAt(end), Sample::with);
            }
        }
        List<Sample> all = new ArrayList<>(periods.values());
        return all.subList(Math.max(0, all.size() - kept), all.size());
    }
}
