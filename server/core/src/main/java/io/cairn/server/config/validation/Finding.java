package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;

/** What is wrong with a content that somebody publishes, or with the schema that he attaches to it. */
public record Finding(Kind kind, ConfigType type, Problem problem) {

    /** In which way it is wrong. */
    public enum Kind {
        /** It is not of the format that its publisher declared. */
        MALFORMED,
        /** It is well-formed, but not as its schema has it. */
        NOT_AS_SCHEMA,
        /** What is attached as a schema is none. */
        NO_SCHEMA,
        /** The server itself reads the configuration, and cannot; such a content is never stored. */
        NOT_READABLE
    }

    /** For the publisher: the field, the place where it is known, and what is wrong there. */
    public String words() {
        String place = problem.place().isEmpty() ? "" : problem.place() + ": ";
        return switch (kind) {
            case MALFORMED -> "content: " + place + problem.message() + " (expected: " + type.wireName() + ")";
            case NOT_AS_SCHEMA -> "content: " + place + problem.message() + " (expected: as its schema has it)";
            case NO_SCHEMA -> "schema: " + problem.message() + " (expected: a JSON Schema)";
            case NOT_READABLE -> "content: " + place + problem.message();
        };
    }

    /** For the log, without a word of the content. */
    String wordsWithoutContent() {
        String place = problem.place().isEmpty() ? "" : ": " + problem.place();
        return switch (kind) {
            case MALFORMED -> "is not well-formed " + type.wireName() + place;
            case NOT_AS_SCHEMA -> "is not as its schema has it" + place;
            case NO_SCHEMA -> "its schema is none";
            case NOT_READABLE -> "cannot be read by the server" + place;
        };
    }
}
