package io.cairn.api.wire;

import org.jspecify.annotations.Nullable;

/** A body that is not the JSON object its message type asks for. */
public final class MalformedMessageException extends RuntimeException {

    private final boolean namesField;

    public MalformedMessageException(String message) {
        super(message);
        namesField = false;
    }

    public MalformedMessageException(String message, Throwable cause) {
        super(message, cause);
        namesField = false;
    }

    private MalformedMessageException(String message, boolean namesField) {
        super(message);
        this.namesField = namesField;
    }

    /**
     * The body is JSON, but one of its fields has a value of the wrong kind.
     *
     * @param seen the value as it was sent, shortened
     */
    static MalformedMessageException ofField(@Nullable String field, String seen, String expected) {
        return new MalformedMessageException(field + ": " + seen + " (expected: " + expected + ")", true);
    }

    /** Whether the message says which field is wrong, and so can be shown to the client. */
    public boolean namesField() {
        return namesField;
    }
}
