package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;

/** A problem of a published content, or of its schema. */
public record Finding(Kind kind, ConfigType type, Problem problem) {

    public enum Kind {
        MALFORMED,
        /** Well-formed, but not valid against its schema. */
        NOT_AS_SCHEMA,
        /** The attached schema is no JSON Schema. */
        NO_SCHEMA,
        /** The server itself cannot read the configuration; never stored. */
        NOT_READABLE
    }

    /** For the publisher: field, place if known, and problem. */
    public String words() {
        String place = problem.place().isEmpty() ? "" : problem.place() + ": ";
        return switch (kind) {
            case MALFORMED -> "content: " + place + problem.message() + " (expected: " + type.wireName() + ")";
            case NOT_AS_SCHEMA -> "content: " + place + problem.message() + " (expected: valid against its schema)";
            case NO_SCHEMA -> "schema: " + problem.message() + " (expected: a JSON Schema)";
            case NOT_READABLE -> "content: " + place + problem.message();
        };
    }

    /** For the log, never with the content. */
    String wordsWithoutContent() {
        String place = problem.place().isEmpty() ? "" : ": " + problem.place();
        return switch (kind) {
            case MALFORMED -> "is not well-formed " + type.wireName() + place;
            case NOT_AS_SCHEMA -> "is not valid against its schema" + place;
            case NO_SCHEMA -> "its schema is not a JSON Schema";
            case NOT_READABLE -> "cannot be read by the server" + place;
        };
    }
}
