package io.cairn.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a configuration may be declared as. */
enum ContentType {
    TEXT,
    JSON,
    XML,
    YAML,
    HTML,
    PROPERTIES,
    TOML;

    /** All of them, for a message. */
    static final String ALL = Arrays.stream(values()).map(ContentType::wireName).collect(Collectors.joining(", "));

    /** Those of which the server can say whether a content is well-formed. */
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

    /** The type of that name, or of that ending of a file's name; empty when there is none. */
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

    /** The type that the ending of a data ID names; empty when it names none. */
    static Optional<ContentType> ofEnding(String dataId) {
        int dot = dataId.lastIndexOf('.');
        return dot < 0 ? Optional.empty() : of(dataId.substring(dot + 1));
    }
}
