package io.cairn.server.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Collects the events that are logged while it is open. Open it after the start of a server, which sets up logging again. */
public final class LogWatch implements AutoCloseable {

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger root;
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            events.add(event);
        }
    };

    public LogWatch() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        appender.setContext(context);
        appender.start();
        root.addAppender(appender);
    }

    /**
     * Takes out everything that somebody would have to look into: errors, and failures with their stack trace at any
     * level.
     */
    public List<String> takeAlarms() {
        List<String> alarms = events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.ERROR) || event.getThrowableProxy() != null)
                .map(LogWatch::text)
                .toList();
        events.clear();
        return alarms;
    }

    /** The warnings of that class. */
    public List<String> warningsOf(Class<?> source) {
        return events.stream()
                .filter(event ->
                        event.getLevel() == Level.WARN && event.getLoggerName().equals(source.getName()))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** The lines of that class that an operator sees with the usual levels. */
    public List<String> linesOf(Class<?> source) {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO)
                        && event.getLoggerName().equals(source.getName()))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static String text(ILoggingEvent event) {
        return event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage()
                + (event.getThrowableProxy() == null
                        ? ""
                        : '\n' + ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }

    @Override
    public void close() {
        root.detachAppender(appender);
        appender.stop();
    }
}
