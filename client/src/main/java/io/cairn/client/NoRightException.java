package io.cairn.client;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The server knows the user, or that there is none, and does not allow it. Trying again changes nothing. */
public final class NoRightException extends CairnException {

    public NoRightException(String message, @Nullable Throwable cause) {
        super(ErrorCode.INVALID_PARAMETER, message, cause);
    }
}
