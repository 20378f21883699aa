package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the settings by which nodes are found, under the names of Nacos. */
final class Settings {

    private Settings() {}

    static @Nullable String text(Function<String, @Nullable String> property, String name) {
        String value = property.apply(name);
        return value == null || value.isBlank() ? null : value.trim();
    }

    static boolean flag(Function<String, @Nullable String> property, String name) {
        String value = text(property, name);
        if (value == null) {
            return false;
        }
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw refused(name, value, "true or false");
        };
    }

    static int port(Function<String, @Nullable String> property, String name, int usual) {
        String value = text(property, name);
        if (value == null) {
            return usual;
        }
        if (value.matches("\\d{1,5}")) {
            int port = Integer.parseInt(value);
            if (port >= 1 && port <= 65_535) {
                return port;
            }
        }
        throw refused(name, value, "1-65535");
    }

    /** Comma-separated elements, and {@code name[0]}, {@code name[1]} and so on. */
    static List<String> list(Function<String, @Nullable String> property, String name) {
        List<String> all = new ArrayList<>();
        String together = text(property, name);
        if (together != null) {
            Stream.of(together.split(","))
                    .map(String::trim)
                    .filter(part -> !part.isEmpty())
                    .forEach(all::add);
        }
        for (int i = 0; ; i++) {
            String element = text(property, name + '[' + i + ']');
            if (element == null) {
                return all;
            }
            all.add(element);
        }
    }

    static CairnException refused(String name, String value, String expected) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, name + ": '" + value + "' (expected: " + expected + ")");
    }
}
