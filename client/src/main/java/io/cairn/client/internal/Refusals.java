package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.WireError;
import io.cairn.client.connection.NoRightException;
import java.util.concurrent.CompletionException;

/** Maps the error codes of rejected requests to exceptions. */
public final class Refusals {

    private Refusals() {}

    public static CairnException of(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof CairnException known) {
            return known;
        }
        String text = cause instanceof MalformedMessageException
                ? "The server's answer cannot be read: " + cause.getMessage()
                : String.valueOf(cause);
        return new CairnException(ErrorCode.INTERNAL, text, cause);
    }

    /** Whether a repeated request would fail too; false after a timeout or a lost connection. */
    public static boolean isDefinite(CairnException failure) {
        return failure.code() != ErrorCode.UNAVAILABLE && failure.code() != ErrorCode.BUSY;
    }

    public static CairnException of(String what, AnswerFields said) {
        String text = what + " was refused by the server: " + said.errorCode() + ' ' + said.message();
        return switch (said.errorCode()) {
            case WireError.NO_RIGHT ->
                new NoRightException(text + "; check the client's user name and its roles", null);
            case WireError.INVALID_PARAMETER -> new CairnException(ErrorCode.INVALID_PARAMETER, text);
            case WireError.NOT_FOUND -> new CairnException(ErrorCode.NOT_FOUND, text);
            case WireError.NO_HANDLER, WireError.NOT_IMPLEMENTED -> new CairnException(ErrorCode.UNSUPPORTED, text);
            case WireError.SERVER_NOT_READY, WireError.UNREGISTERED -> new CairnException(ErrorCode.UNAVAILABLE, text);
            case WireError.OVER_THRESHOLD -> new CairnException(ErrorCode.BUSY, text);
            case WireError.TOO_MANY_PATTERNS -> new CairnException(ErrorCode.LIMIT_EXCEEDED, text);
            default -> new CairnException(ErrorCode.INTERNAL, text);
        };
    }
}
