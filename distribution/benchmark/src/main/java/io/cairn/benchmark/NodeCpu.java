package io.cairn.benchmark;

import org.jspecify.annotations.Nullable;

/** The CPU time that one node takes from the begin of the window on. */
record NodeCpu(@Nullable ServerProcess process, long beforeMicros, long beganNanos) {

    static NodeCpu begin(@Nullable ServerProcess process) {
        long before = process == null || !process.isRunning() ? 0 : process.cpuMicros();
        return new NodeCpu(process, before, System.nanoTime());
    }

    /** The cores taken on average; not a number when the process has ended, or has no process id. */
    double end() {
        if (process == null || !process.isRunning()) {
            return Double.NaN;
        }
        return (process.cpuMicros() - beforeMicros) * 1e3 / (System.nanoTime() - beganNanos);
    }
}
