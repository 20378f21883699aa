package io.cairn.benchmark;

import org.jspecify.annotations.Nullable;

/** The resident size of the server before a load, and the largest one that was sampled since. Used by one thread. */
final class PeakMemory {
    private final @Nullable ServerProcess server;
    private final long before;
    private long peak;

    PeakMemory(@Nullable ServerProcess server) {
        this.server = server;
        before = server == null ? 0 : server.residentKilobytes();
        peak = before;
    }

    void sample() {
        if (server != null) {
            peak = Math.max(peak, server.residentKilobytes());
        }
    }

    void report(Report report) {
        if (server != null) {
            report.put("server_rss_before_kb", before);
            report.put("server_rss_peak_kb", peak);
        }
    }
}
