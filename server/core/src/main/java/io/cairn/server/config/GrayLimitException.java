package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** A configuration has the maximum number of gray releases. */
public final class GrayLimitException extends CairnException {

    GrayLimitException(int limit) {
        super(ErrorCode.LIMIT_EXCEEDED, "gray config version is over max count :" + limit);
    }
}
