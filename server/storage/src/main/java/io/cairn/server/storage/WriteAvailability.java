package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database stores what is written, for health, readiness, findings and meters. Two things say no: the open
 * {@link Circuit}, while the database cannot be reached, and a refusal: the database is reached, and refuses writes, for
 * its disk is full or it is read-only. A refusal does not stop writes, since smaller ones may still fit; it lasts until a
 * write at least as large as the refused one was stored, by a client or by the probe of the writer. Thread-safe.
 */
public final class WriteAvailability {

    /** The largest probe: a disk with that much room again counts as writable, however large the refused write was. */
    static final int MAX_PROBE_BYTES = 8 << 20;

    private static final Logger log = LoggerFactory.getLogger(WriteAvailability.class);

    private final Circuit circuit;
    private final AtomicReference<@Nullable Refusal> refusal = new AtomicReference<>();

    WriteAvailability(Circuit circuit) {
        this.circuit = circuit;
    }

    /** @param bytes of the largest write that was refused, at most {@link #MAX_PROBE_BYTES} */
    private record Refusal(CairnException cause, long sinceNanos, int bytes) {}

    /** Why writes are refused, or null while they are stored. */
    public @Nullable CairnException cause() {
        CairnException away = circuit.cause();
        if (away != null) {
            return away;
        }
        Refusal present = refusal.get();
        return present == null ? null : present.cause();
    }

    /** Whether the database is reached and refuses writes nevertheless. */
    public boolean isRefusing() {
        return circuit.cause() == null && refusal.get() != null;
    }

    /** For how many seconds writes have been refused; 0 while they are stored. */
    public double secondsRefused() {
        Refusal present = refusal.get();
        double refused = present == null ? 0 : (System.nanoTime() - present.sinceNanos()) / 1e9;
        return Math.max(refused, circuit.secondsOpen());
    }

    /** How large a write must be stored for the refusal to end; 0 without a refusal. */
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
