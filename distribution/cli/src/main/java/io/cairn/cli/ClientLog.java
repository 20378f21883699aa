package io.cairn.cli;

import java.util.function.Consumer;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The log of the client library as notices, each record in one line. */
final class ClientLog extends Handler implements AutoCloseable {

    private static final Logger LOGGER = Logger.getLogger("io.cairn.client");

    private final Consumer<String> notices;
    private final Formatter formatter = new SimpleFormatter();

    private ClientLog(Consumer<String> notices) {
        this.notices = notices;
    }

    static ClientLog to(Consumer<String> notices) {
        ClientLog log = new ClientLog(notices);
        LOGGER.addHandler(log);
        LOGGER.setUseParentHandlers(false);
        return log;
    }

    @Override
    public void publish(LogRecord logged) {
        Throwable failure = logged.getThrown();
        notices.accept(Api.oneLine(formatter.formatMessage(logged) + (failure == null ? "" : ": " + failure)));
    }

    @Override
    public void flush() {
        // Each line is printed at once.
    }

    @Override
    public void close() {
        LOGGER.removeHandler(this);
        LOGGER.setUseParentHandlers(true);
    }
}
