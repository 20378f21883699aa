package io.cairn.api.wire;

/** A body that is not the JSON object its message type asks for. */
public final class MalformedMessageException extends RuntimeException {

    public MalformedMessageException(String message) {
        super(message);
    }

    public MalformedMessageException(String message, Throwable cause) {
        super(message, cause);
    }
}
