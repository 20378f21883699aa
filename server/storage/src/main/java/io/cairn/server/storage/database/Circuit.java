package io.cairn.server.storage.database;

import io.cairn.api.error.CairnException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database is available, as far as this node knows. Open means away: requests are refused at once with the cause, until
 * a connection succeeds.
 */
public final class Circuit {

    private static final Logger log = LoggerFactory.getLogger(Circuit.class);

    private final String subject;
    private final AtomicReference<@Nullable Away> away = new AtomicReference<>();
    private final List<Runnable> whenOpened = new CopyOnWriteArrayList<>();

    /** @param subject as a sentence begins: {@code The database} */
    public Circuit(String subject) {
        this.subject = subject;
    }

    public String subject() {
        return subject;
    }

    private record Away(CairnException cause, long sinceNanos) {}

    public @Nullable CairnException cause() {
        Away now = away.get();
        return now == null ? null : now.cause();
    }

    /** Seconds since it opened; 0 while closed. */
    public double secondsOpen() {
        Away now = away.get();
        return now == null ? 0 : (System.nanoTime() - now.sinceNanos()) / 1e9;
    }

    /** Called on the thread that opens it. */
    public void whenOpened(Runnable listener) {
        whenOpened.add(listener);
    }

    /** A later cause replaces the former, without a log line. */
    public void open(CairnException cause) {
        Away before = away.getAndUpdate(
                present -> new Away(cause, present == null ? System.nanoTime() : present.sinceNanos()));
        if (before == null) {
            log.error("{}", cause.text());
            whenOpened.forEach(Runnable::run);
        }
    }

    public void close() {
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
