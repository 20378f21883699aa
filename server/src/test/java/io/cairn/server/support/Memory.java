package io.cairn.server.support;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** What this process holds on to, server and test clients together. */
public record Memory(long heapBytes, long directBytes) {

    /** What is left after a garbage collection. */
    public static Memory used() {
        System.gc();
        return new Memory(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), directBuffers());
    }

    /** Bytes of direct buffers at the moment. */
    public static long directBuffers() {
        long known = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        // Netty has buffers of its own making where the Java runtime lets it; that one does not know them.
        return known + (PlatformDependent.useDirectBufferNoCleaner() ? PlatformDependent.usedDirectMemory() : 0);
    }

    /** How much more that is than it was, heap and direct buffers together. */
    public long megabytesMoreThan(Memory before) {
        return (heapBytes + directBytes - before.heapBytes - before.directBytes) >> 20;
    }
}
