package io.cairn.client.connection;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The user, or an anonymous client, lacks the permission for a request. Retries do not help. */
public final class NoRightException extends CairnException {

    public NoRightException(String message, @Nullable Throwable cause) {
        super(ErrorCode.INVALID_PARAMETER, message, cause);
    }
}
