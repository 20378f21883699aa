package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.core.LogLevels;
import java.util.Arrays;
import java.util.Locale;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/** Maps all of Nacos's names for the logs of a part to its one logger. */
final class PartLogLevels implements LogLevels {

    private static final String OWN = "io.cairn";

    private final LoggingSystem logging;
    private final String part;

    /** @param part the logger below {@code io.cairn} */
    PartLogLevels(LoggingSystem logging, String part) {
        this.logging = logging;
        this.part = part;
    }

    @Override
    public void set(String log, String level) {
        LogLevel known;
        try {
            known = LogLevel.valueOf(level.trim().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "logLevel: '" + level + "' (expected: one of " + Arrays.toString(LogLevel.values()) + ")",
                    e);
        }
        logging.setLogLevel(log.startsWith(OWN) ? log : part, known);
    }
}
