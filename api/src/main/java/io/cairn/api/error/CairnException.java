package io.cairn.api.error;

import org.jspecify.annotations.Nullable;

/** A failure that callers are not expected to handle in line. */
public class CairnException extends RuntimeException {

    private final ErrorCode code;

    public CairnException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public CairnException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public final ErrorCode code() {
        return code;
    }

    /** The message, or the name of the code; never null. */
    public final String text() {
        String message = getMessage();
        return message == null ? code.name() : message;
    }
}
