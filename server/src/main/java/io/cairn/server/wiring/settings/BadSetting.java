package io.cairn.server.wiring.settings;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.util.unit.DataSize;

/** Reports the setting of an invalid value in one line. */
public final class BadSetting {

    private BadSetting() {}

    /** The failure itself, or one with the setting of a value of the wrong kind. */
    public static RuntimeException named(RuntimeException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CairnException known) {
                return known;
            }
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException bind && bind.getProperty() != null) {
                ConfigurationProperty property = bind.getProperty();
                return new CairnException(
                        ErrorCode.INVALID_PARAMETER,
                        property.getName() + ": " + property.getValue() + " (expected: "
                                + expected(bind.getTarget().getType().toClass()) + ")",
                        failure);
            }
        }
        return failure;
    }

    private static String expected(Class<?> type) {
        if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
            return "a whole number";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == Duration.class) {
            return "a duration such as 500ms or 3s";
        }
        if (type == DataSize.class) {
            return "a size such as 64KB or 10MB";
        }
        if (type == Path.class) {
            return "a path";
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "));
        }
        return type.getSimpleName();
    }
}
