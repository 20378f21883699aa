package io.cairn.server.limit;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import org.jspecify.annotations.Nullable;

/** The open files of this process, connections included. */
public final class OpenFiles {

    private final @Nullable UnixOperatingSystemMXBean system;
    private final long max;

    public OpenFiles() {
        OperatingSystemMXBean any = ManagementFactory.getOperatingSystemMXBean();
        system = any instanceof UnixOperatingSystemMXBean unix ? unix : null;
        max = system == null ? 0 : system.getMaxFileDescriptorCount();
    }

    /** The limit of the system; 0 where there is no limit, as on Windows. */
    public long max() {
        return max;
    }

    /** The number of open files; 0 where the system does not count them. */
    public long used() {
        if (system == null) {
            return 0;
        }
        try {
            return system.getOpenFileDescriptorCount();
        } catch (InternalError e) {
            // The JVM opens a folder to count them: a failure means that no file is left.
            return max;
        }
    }
}
