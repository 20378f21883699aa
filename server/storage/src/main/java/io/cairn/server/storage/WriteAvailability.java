package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database accepts writes, for health, readiness, findings and meters. It does not in two cases: the
 * {@link Circuit} is open because the database cannot be reached, or the database refuses writes because its disk is full
 * or it is read-only. A refusal does not stop further writes, since smaller ones may fit. It ends when a write at least as
 * large as the refused one is stored, by a client or by the probe of the writer. Thread-safe.
 */
public final class WriteAvailability {

    /** The largest probe: a disk with this much free space counts as writable, for a refused write of any size. */
    static final int MAX_PROBE_BYTES = 8 << 20;

    private static final Logger log = LoggerFactory.getLogger(WriteAvailability.class);

    private final Circuit circuit;
    private final AtomicReference<@Nullable Refusal> refusal = new AtomicReference<>();

    WriteAvailability(Circuit circuit) {
        this.circuit = circuit;
    }

    /** @param bytes the size of the largest refused write, at most {@link #MAX_PROBE_BYTES} */
    private record Refusal(CairnException cause, long sinceNanos, int bytes) {}

    /** The reason why writes are refused, or null while they are stored. */
    public @Nullable CairnException cause() {
        CairnException away = circuit.cause();
        if (away != null) {
            return away;
        }
        Refusal present = refusal.get();
        return present == null ? null : present.cause();
    }

    /** Whether the database can be reached but refuses writes. */
    public boolean isRefusing() {
        return circuit.cause() == null && refusal.get() != null;
    }

    /** The time for which writes have been refused, in seconds; 0 while they are stored. */
    public double secondsRefused() {
        Refusal present = refusal.get();
        double refused = present == null ? 0 : (System.nanoTime() - present.sinceNanos()) / 1e9;
        return Math.max(refused, circuit.secondsOpen());
    }

    /** The size of the write that ends the refusal; 0 without a refusal. */
    int refusedBytes() {
        Refusal present = refusal.get();
        return present == null ? 0 : present.bytes();
    }

    /** The database refused a write of that size; only the first refusal of a row is logged. */
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

    /** The database stored a write of that size. */
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
