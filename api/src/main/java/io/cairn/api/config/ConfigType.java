package io.cairn.api.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The format of a content, as its publisher declared it. The wire name is the lower-case name. */
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

    /** The type of that wire name; {@link #TEXT} when it is absent or unknown, as Nacos has it. */
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
