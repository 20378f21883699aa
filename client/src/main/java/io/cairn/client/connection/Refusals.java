package io.cairn.client.connection;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.WireError;
import io.cairn.client.NoRightException;

/** What the numbers of a refusal mean to a caller. */
public final class Refusals {

    private Refusals() {}

    /** @param what was asked for, such as {@code Reading x} */
    public static CairnException of(String what, AnswerFields said) {
        String text = what + " was refused by the server: " + said.errorCode() + ' ' + said.message();
        return switch (said.errorCode()) {
            case WireError.NO_RIGHT ->
                new NoRightException(text + "; check the client's user name and its roles", null);
            case WireError.INVALID_PARAMETER -> new CairnException(ErrorCode.INVALID_PARAMETER, text);
            case WireError.NOT_FOUND -> new CairnException(ErrorCode.NOT_FOUND, text);
            case WireError.NO_HANDLER, WireError.NOT_IMPLEMENTED -> new CairnException(ErrorCode.UNSUPPORTED, text);
            case WireError.OVER_THRESHOLD -> new CairnException(ErrorCode.BUSY, text);
            case WireError.TOO_MANY_PATTERNS -> new CairnException(ErrorCode.LIMIT_EXCEEDED, text);
            default -> new CairnException(ErrorCode.INTERNAL, text);
        };
    }
}
