package io.cairn.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Logs {@code burst} warnings and errors of one line of code in a period, counts the others, and logs their number at its end.
 * Never blocks.
 */
public final class RepeatLimit extends TurboFilter implements AutoCloseable {

    private static final String OWN = "io.cairn.server";
    private static final String SUMMARY = "{} similar lines within {} s: {}";

    private final ConcurrentHashMap<String, Problem> problems = new ConcurrentHashMap<>();
    private final int burst;
    private final Duration period;
    private final Timer timer;

    public RepeatLimit(int burst, Duration period, Timer timer) {
        this.burst = burst;
        this.period = period;
        this.timer = timer;
        setName("cairn-repeat-limit");
    }

    /** Limits the server's own loggers from now on. */
    public void install(LoggerContext logging) {
        setContext(logging);
        start();
        logging.addTurboFilter(this);
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        // Without a format, the call only checks the level.
        if (format == null
                || !level.isGreaterOrEqual(Level.WARN)
                || !logger.getName().startsWith(OWN)
                || !logger.isEnabledFor(level)
                || format.equals(SUMMARY)) {
            return FilterReply.NEUTRAL;
        }
        String key = logger.getName() + ' ' + format;
        Problem problem = problems.computeIfAbsent(key, absent -> begin(absent, logger, level, format));
        return problem.isSaid() ? FilterReply.NEUTRAL : FilterReply.DENY;
    }

    private Problem begin(String key, Logger logger, Level level, String format) {
        timer.newTimeout(ended -> end(key, logger, level, format), period.toNanos(), TimeUnit.NANOSECONDS);
        return new Problem(burst);
    }

    private void end(String key, Logger logger, Level level, String format) {
        Problem problem = problems.remove(key);
        // A line that another thread counts after this check is missing from the sum, which is only a hint.
        int suppressed = problem == null ? 0 : problem.suppressed();
        if (suppressed > 0) {
            if (level.isGreaterOrEqual(Level.ERROR)) {
                logger.error(SUMMARY, suppressed, period.toSeconds(), format);
            } else {
                logger.warn(SUMMARY, suppressed, period.toSeconds(), format);
            }
        }
    }

    @Override
    public void close() {
        if (getContext() instanceof LoggerContext logging) {
            logging.getTurboFilterList().remove(this);
        }
        stop();
    }

    private static final class Problem {

        private final int burst;

        @GuardedBy("this")
        private int count;

        Problem(int burst) {
            this.burst = burst;
        }

        synchronized boolean isSaid() {
            return ++count <= burst;
        }

        synchronized int suppressed() {
            return count - burst;
        }
    }
}
