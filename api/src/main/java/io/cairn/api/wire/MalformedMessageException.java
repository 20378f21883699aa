package io.cairn.api.wire;

import org.jspecify.annotations.Nullable;

/** A body that is not the JSON object of its message type. */
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
     * A field of the body has a value of the wrong type.
     *
     * @param seen the value, shortened
     */
    static MalformedMessageException ofField(@Nullable String field, String seen, String expected) {
        return new MalformedMessageException(field + ": " + seen + " (expected: " + expected + ")", true);
    }

    /** Whether the message names the field, and may be returned to the client. */
    public boolean namesField() {
        return namesField;
    }
}
