package io.cairn.api.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The format of a content, as declared by its publisher. */
public enum ConfigType {
    TEXT,
    JSON,
    XML,
    YAML,
    HTML,
    PROPERTIES,
    TOML,
    UNSET;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    public String wireName() {
        return wireName;
    }

    /** Returns {@link #TEXT} for an absent or unknown name, like Nacos. */
    public static ConfigType ofWireName(@Nullable String wireName) {
        if (wireName == null) {
            return TEXT;
        }
        return switch (wireName) {
            case "json" -> JSON;
            case "xml" -> XML;
            case "yaml" -> YAML;
            case "html" -> HTML;
            case "properties" -> PROPERTIES;
            case "toml" -> TOML;
            case "unset" -> UNSET;
            default -> TEXT;
        };
    }
}
