package io.cairn.server.cluster;

import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.Slf4jLogImpl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of JGroups, without stack traces, each kind of line once a minute. JGroups logs lost connections, which the group
 * handles, as errors: here they have the level INFO, repetitions and internal steps DEBUG.
 */
final class JGroupsLog extends Slf4jLogImpl {

    private static final LogThrottle LINES = new LogThrottle(Duration.ofMinutes(1), 256, Clock.systemUTC());

    private final Logger target;

    JGroupsLog(Logger target) {
        super(Locale.ROOT, target);
        this.target = target;
    }

    private void problem(boolean severe, String kind, String line, @Nullable Throwable cause) {
        if (!LINES.admits(target.getName() + ' ' + kind)) {
            target.debug(line, cause);
        } else if (severe) {
            target.warn(line);
        } else {
            target.info(line);
        }
    }

    private static String line(String format, Object[] parts) {
        return String.format(Locale.ROOT, format, parts);
    }

    private static String line(String text, Throwable cause) {
        return text + ": " + cause;
    }

    @Override
    public boolean isErrorEnabled() {
        return target.isInfoEnabled();
    }

    @Override
    public boolean isFatalEnabled() {
        return target.isWarnEnabled();
    }

    @Override
    public boolean isWarnEnabled() {
        return target.isInfoEnabled();
    }

    @Override
    public boolean isInfoEnabled() {
        return target.isDebugEnabled();
    }

    @Override
    public void fatal(String text) {
        problem(true, text, text, null);
    }

    @Override
    public void fatal(String format, Object... parts) {
        problem(true, format, line(format, parts), null);
    }

    @Override
    public void fatal(String text, Throwable cause) {
        problem(true, text, line(text, cause), cause);
    }

    @Override
    public void error(String text) {
        problem(false, text, text, null);
    }

    @Override
    public void error(String format, Object... parts) {
        problem(false, format, line(format, parts), null);
    }

    @Override
    public void error(String text, Throwable cause) {
        problem(false, text, line(text, cause), cause);
    }

    @Override
    public void warn(String text) {
        problem(false, text, text, null);
    }

    @Override
    public void warn(String format, Object... parts) {
        problem(false, format, line(format, parts), null);
    }

    @Override
    public void warn(String text, Throwable cause) {
        problem(false, text, line(text, cause), cause);
    }

    @Override
    public void info(String text) {
        target.debug(text);
    }

    @Override
    public void info(String format, Object... parts) {
        if (target.isDebugEnabled()) {
            target.debug(line(format, parts));
        }
    }

    static final class Factory implements CustomLogFactory {

        @Override
        public Log getLog(Class<?> source) {
            return new JGroupsLog(LoggerFactory.getLogger(source));
        }

        @Override
        public Log getLog(String category) {
            return new JGroupsLog(LoggerFactory.getLogger(category));
        }
    }
}
