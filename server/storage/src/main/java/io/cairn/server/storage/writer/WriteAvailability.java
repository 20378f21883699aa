package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Circuit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database accepts writes, for health, readiness, findings and meters. Not if the {@link Circuit} is open because the
 * database is unreachable, or the database refuses writes for a full disk or as read-only. A refusal does not stop further writes,
 * because smaller ones may fit. It ends when a write of at least its size is stored, by a client or the writer's probe.
 */
public final class WriteAvailability {

    /** The largest probe: a disk with this free space counts as writable for any size. */
    static final int MAX_PROBE_BYTES = 8 << 20;

    private static final Logger log = LoggerFactory.getLogger(WriteAvailability.class);

    private final Circuit circuit;
    private final AtomicReference<@Nullable Refusal> refusal = new AtomicReference<>();

    WriteAvailability(Circuit circuit) {
        this.circuit = circuit;
    }

    /** @param bytes of the largest refused write, at most {@link #MAX_PROBE_BYTES} */
    private record Refusal(CairnException cause, long sinceNanos, int bytes) {}

    /** Why writes are refused, or null. */
    public @Nullable CairnException cause() {
        CairnException away = circuit.cause();
        if (away != null) {
            return away;
        }
        Refusal present = refusal.get();
        return present == null ? null : present.cause();
    }

    /** Whether the database is reachable but refuses writes. */
    public boolean isRefusing() {
        return circuit.cause() == null && refusal.get() != null;
    }

    /** Seconds since the refusal; 0 without one. */
    public double secondsRefused() {
        Refusal present = refusal.get();
        double refused = present == null ? 0 : (System.nanoTime() - present.sinceNanos()) / 1e9;
        return Math.max(refused, circuit.secondsOpen());
    }

    /** The size of the write that ends the refusal, or 0. */
    int refusedBytes() {
        Refusal present = refusal.get();
        return present == null ? 0 : present.bytes();
    }

    /** Notes a refused write; logs the first in a row. */
    void refused(String reason, long bytes, Exception failure) {
        CairnException cause =
                new CairnException(ErrorCode.UNAVAILABLE, circuit.subject() + " cannot be written: " + reason, failure);
        int size = (int) Math.min(bytes, MAX_PROBE_BYTES);
        Refusal before = refusal.getAndUpdate(present -> present == null
                ? new Refusal(cause, System.nanoTime(), size)
                : new Refusal(cause, present.sinceNanos(), Math.max(size, present.bytes())));
        if (before == null) {
            log.error("{}. Reads continue; the server tries again every few seconds", cause.text());
        }
    }

    /** Notes a stored write. */
    void stored(long bytes) {
        Refusal present = refusal.get();
        if (present != null && bytes >= present.bytes() && refusal.compareAndSet(present, null)) {
            log.info(
                    "{} stores writes again; it refused them for {} s",
                    circuit.subject(),
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - present.sinceNanos()));
        }
    }
}
