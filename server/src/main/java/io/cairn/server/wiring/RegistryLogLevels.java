package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.naming.LogLevels;
import java.util.Arrays;
import java.util.Locale;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/** The names that Nacos has for its logs all stand for the one that the registry has here. */
final class RegistryLogLevels implements LogLevels {

    private static final String OWN = "io.cairn";
    private static final String REGISTRY = "io.cairn.server.naming";

    private final LoggingSystem logging;

    RegistryLogLevels(LoggingSystem logging) {
        this.logging = logging;
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
        logging.setLogLevel(log.startsWith(OWN) ? log : REGISTRY, known);
    }
}
