package io.cairn.server.support;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** The memory that this process uses, server and test clients together. */
public record Memory(long heapBytes, long directBytes) {

    /** The used memory after a garbage collection. */
    public static Memory used() {
        System.gc();
        return new Memory(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), directBuffers());
    }

    /** The bytes of direct buffers now. */
    public static long directBuffers() {
        long known = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        // Netty allocates buffers itself where the Java runtime allows it; the runtime's figure does not include them.
        return known + (PlatformDependent.useDirectBufferNoCleaner() ? PlatformDependent.usedDirectMemory() : 0);
    }

    /** The increase since {@code before} in MB, heap and direct buffers together. */
    public long megabytesMoreThan(Memory before) {
        return (heapBytes + directBytes - before.heapBytes - before.directBytes) >> 20;
    }
}
