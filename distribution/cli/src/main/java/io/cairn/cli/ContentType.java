package io.cairn.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

enum ContentType {
    TEXT,
    JSON,
    XML,
    YAML,
    HTML,
    PROPERTIES,
    TOML;

    static final String ALL = Arrays.stream(values()).map(ContentType::wireName).collect(Collectors.joining(", "));

    /** The types that the server can check. */
    static final String CHECKED = Arrays.stream(values())
            .filter(ContentType::isChecked)
            .map(ContentType::wireName)
            .collect(Collectors.joining(", "));

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isChecked() {
        return this != TEXT && this != HTML;
    }

    /** By name or file extension. */
    static Optional<ContentType> of(String name) {
        String known =
                switch (name.toLowerCase(Locale.ROOT)) {
                    case "yml" -> "yaml";
                    case "htm" -> "html";
                    case "txt" -> "text";
                    default -> name.toLowerCase(Locale.ROOT);
                };
        return Arrays.stream(values())
                .filter(type -> type.wireName().equals(known))
                .findFirst();
    }

    /** By the extension of the data ID. */
    static Optional<ContentType> ofEnding(String dataId) {
        int dot = dataId.lastIndexOf('.');
        return dot < 0 ? Optional.empty() : of(dataId.substring(dot + 1));
    }
}
