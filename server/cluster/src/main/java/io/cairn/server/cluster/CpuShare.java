package io.cairn.server.cluster;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Objects;

/** The share of one processor that this process used since the last call. For one thread. */
final class CpuShare {

    private final OperatingSystemMXBean system =
            Objects.requireNonNull(ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class));
    private long lastNanos = System.nanoTime();
    private long lastCpuNanos = system.getProcessCpuTime();

    long permille() {
        long now = System.nanoTime();
        long used = system.getProcessCpuTime();
        long passed = Math.max(1, now - lastNanos);
        long permille = Math.max(0, used - lastCpuNanos) * 1_000 / passed;
        lastNanos = now;
        lastCpuNanos = used;
        return permille;
    }
}
