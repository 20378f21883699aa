package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database is there, as far as this node knows. Open means away: what needs the database is refused at once
 * with the cause, until somebody has reached it again. Thread-safe.
 */
public final class Circuit {

    private static final Logger log = LoggerFactory.getLogger(Circuit.class);

    private final String subject;
    private final AtomicReference<@Nullable Away> away = new AtomicReference<>();
    private final List<Runnable> whenOpened = new CopyOnWriteArrayList<>();

    /** @param subject what is there or not, as a sentence begins: {@code The database} */
    public Circuit(String subject) {
        this.subject = subject;
    }

    String subject() {
        return subject;
    }

    private record Away(CairnException cause, long sinceNanos) {}

    /** Why the database is taken for away, or null while it is there. */
    public @Nullable CairnException cause() {
        Away now = away.get();
        return now == null ? null : now.cause();
    }

    /** For how many seconds it has been away; 0 while it is there. */
    public double secondsOpen() {
        Away now = away.get();
        return now == null ? 0 : (System.nanoTime() - now.sinceNanos()) / 1e9;
    }

    /** Calls this whenever the database is found away, on the thread that has found it. */
    void whenOpened(Runnable listener) {
        whenOpened.add(listener);
    }

    /** Takes the database for away; a later cause replaces an earlier one, and is not logged again. */
    void open(CairnException cause) {
        Away before = away.getAndUpdate(
                present -> new Away(cause, present == null ? System.nanoTime() : present.sinceNanos()));
        if (before == null) {
            log.error("{}", cause.text());
            whenOpened.forEach(Runnable::run);
        }
    }

    /** The database answers. */
    void close() {
        if (away.get() == null) {
            return;
        }
        Away before = away.getAndSet(null);
        if (before != null) {
            log.info(
                    "{} can be written again; it was unavailable for {} s",
                    subject,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - before.sinceNanos()));
        }
    }
}
