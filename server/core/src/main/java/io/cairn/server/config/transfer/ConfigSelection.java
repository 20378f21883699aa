package io.cairn.server.config.transfer;

import io.cairn.api.config.Namespace;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects configurations of a namespace by ids. Without ids, selects the matches of all other values, where {@code *} stands for
 * any text.
 *
 * @param ids of rows; empty for all
 * @param dataId blank or null for all
 * @param group blank or null for all
 * @param appName blank or null for all
 */
public record ConfigSelection(
        Namespace namespace,
        List<Long> ids,
        @Nullable String dataId,
        @Nullable String group,
        @Nullable String appName) {

    private static final char ANY = '*';

    public ConfigSelection {
        ids = List.copyOf(ids);
        dataId = blankToNull(dataId);
        group = blankToNull(group);
        appName = blankToNull(appName);
    }

    public static ConfigSelection all(Namespace namespace) {
        return new ConfigSelection(namespace, List.of(), null, null, null);
    }

    public boolean matches(WholeConfig config) {
        return config.key().namespace().equals(namespace)
                && matches(dataId, config.key().dataId())
                && matches(group, config.key().group())
                && matches(appName, config.attributes().appName());
    }

    private static boolean matches(@Nullable String pattern, @Nullable String text) {
        if (pattern == null) {
            return true;
        }
        String value = text == null ? "" : text;
        if (pattern.indexOf(ANY) < 0) {
            return pattern.equals(value);
        }
        String expression =
                Arrays.stream(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return Pattern.compile(expression, Pattern.DOTALL).matcher(value).matches();
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }
}
