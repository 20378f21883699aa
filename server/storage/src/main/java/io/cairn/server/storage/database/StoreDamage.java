package io.cairn.server.storage.database;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unreadable parts of a database file, noted by readers and writer: only requests that need them fail, so an operator would not
 * notice. The first is logged. It lasts until a restart with a replaced file.
 */
public final class StoreDamage {

    private static final Logger log = LoggerFactory.getLogger(StoreDamage.class);

    private final String subject;
    private final String remedy;
    private final Clock clock;
    private final AtomicReference<@Nullable Found> found = new AtomicReference<>();

    /**
     * @param subject the file, as a sentence begins
     * @param remedy sentences for the operator
     */
    public StoreDamage(String subject, String remedy, Clock clock) {
        this.subject = subject;
        this.remedy = remedy;
        this.clock = clock;
    }

    /** Of a database without a known file. */
    public static StoreDamage unnamed() {
        return new StoreDamage("The database", "", Clock.systemUTC());
    }

    /**
     * The first damage.
     *
     * @param text file, cause and remedy in one line
     */
    public record Found(String text, Instant at) {}

    /** Or null. */
    public @Nullable Found found() {
        return found.get();
    }

    /** Notes a failure that shows damage; returns whether it does. */
    public boolean note(Dialect dialect, @Nullable Throwable failure) {
        if (!(failure instanceof SQLException sql) || !dialect.isDamage(sql)) {
            return false;
        }
        String text = subject + " is damaged, or its disk cannot be read: " + sql.getMessage() + ". " + remedy;
        if (found.get() == null && found.compareAndSet(null, new Found(text, clock.instant()))) {
            log.error("{}", text);
        }
        return true;
    }
}
