package io.cairn.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The types that a configuration can have. */
enum ContentType {
    TEXT,
    JSON,
    XML,
    YAML,
    HTML,
    PROPERTIES,
    TOML;

    /** All types, for a message. */
    static final String ALL = Arrays.stream(values()).map(ContentType::wireName).collect(Collectors.joining(", "));

    /** The types whose content the server can check. */
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

    /** The type of that name or file extension; empty when there is none. */
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

    /** The type for the extension of a data ID; empty when there is none. */
    static Optional<ContentType> ofEnding(String dataId) {
        int dot = dataId.lastIndexOf('.');
        return dot < 0 ? Optional.empty() : of(dataId.substring(dot + 1));
    }
}
