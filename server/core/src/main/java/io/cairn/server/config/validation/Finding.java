package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;

/** A problem of a published content, or of the schema that is attached to it. */
public record Finding(Kind kind, ConfigType type, Problem problem) {

    /** The kinds of problems. */
    public enum Kind {
        /** The content is not well-formed in its declared type. */
        MALFORMED,
        /** The content is well-formed, but not valid against its schema. */
        NOT_AS_SCHEMA,
        /** The attached schema is not a JSON Schema. */
        NO_SCHEMA,
        /** The server itself reads the configuration, and cannot; such a content is never stored. */
        NOT_READABLE
    }

    /** The message for the publisher: the field, the place if it is known, and the problem. */
    public String words() {
        String place = problem.place().isEmpty() ? "" : problem.place() + ": ";
        return switch (kind) {
            case MALFORMED -> "content: " + place + problem.message() + " (expected: " + type.wireName() + ")";
            case NOT_AS_SCHEMA -> "content: " + place + problem.message() + " (expected: valid against its schema)";
            case NO_SCHEMA -> "schema: " + problem.message() + " (expected: a JSON Schema)";
            case NOT_READABLE -> "content: " + place + problem.message();
        };
    }

    /** The message for the log, which never contains the content. */
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
