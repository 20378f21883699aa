package io.cairn.server.config.query;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigEntry;
import java.util.Comparator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

public record ConfigOrder(By by, boolean descending) {

    /** The default order. */
    public static final ConfigOrder BY_NAME = new ConfigOrder(By.DATA_ID, false);

    private static final Comparator<ConfigEntry> NAMES = ConfigOrder::compareNames;

    public enum By {
        DATA_ID("dataId"),
        GROUP("group"),
        TYPE("type"),
        MODIFIED("modified");

        private final String word;

        By(String word) {
            this.word = word;
        }
    }

    /**
     * @param sort {@code dataId}, {@code group}, {@code type} or {@code modified}; null or blank for {@code dataId}
     * @param direction {@code asc} or {@code desc}; null or blank for {@code asc}
     * @throws CairnException {@code INVALID_PARAMETER} for other values
     */
    public static ConfigOrder of(@Nullable String sort, @Nullable String direction) {
        boolean descending = isDescending(direction);
        if (sort == null || sort.isBlank()) {
            return new ConfigOrder(By.DATA_ID, descending);
        }
        for (By by : By.values()) {
            if (by.word.equalsIgnoreCase(sort)) {
                return new ConfigOrder(by, descending);
            }
        }
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER, "sort: '" + sort + "' (expected: dataId, group, type or modified)");
    }

    private static boolean isDescending(@Nullable String direction) {
        String word = direction == null ? "" : direction.trim().toLowerCase(Locale.ROOT);
        return switch (word) {
            case "", "asc" -> false;
            case "desc" -> true;
            default ->
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, "order: '" + direction + "' (expected: asc or desc)");
        };
    }

    private static int compareNames(ConfigEntry one, ConfigEntry other) {
        int order = one.key().dataId().compareTo(other.key().dataId());
        return order != 0 ? order : one.key().group().compareTo(other.key().group());
    }

    /** Equal ones by name. */
    Comparator<ConfigEntry> comparator() {
        Comparator<ConfigEntry> first =
                switch (by) {
                    case DATA_ID -> NAMES;
                    case GROUP -> Comparator.comparing(entry -> entry.key().group());
                    case TYPE -> Comparator.comparing(entry -> entry.type().wireName());
                    case MODIFIED -> Comparator.comparingLong(ConfigEntry::lastModifiedMillis);
                };
        return (descending ? first.reversed() : first).thenComparing(NAMES);
    }
}
