package io.cairn.server.limit;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import org.jspecify.annotations.Nullable;

/** The files that this process has open; each connection is one. Thread-safe. */
public final class OpenFiles {

    private final @Nullable UnixOperatingSystemMXBean system;
    private final long max;

    public OpenFiles() {
        OperatingSystemMXBean any = ManagementFactory.getOperatingSystemMXBean();
        system = any instanceof UnixOperatingSystemMXBean unix ? unix : null;
        max = system == null ? 0 : system.getMaxFileDescriptorCount();
    }

    /** Files that the process may have open; 0 where the system has no such limit, as Windows. */
    public long max() {
        return max;
    }

    /** Files that are open; 0 where the system does not count them. */
    public long used() {
        if (system == null) {
            return 0;
        }
        try {
            return system.getOpenFileDescriptorCount();
        } catch (InternalError e) {
            // The JVM counts them in a folder that it has to open: where it cannot, no file is left.
            return max;
        }
    }
}
