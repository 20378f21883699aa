package io.cairn.server.admission;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** {@code BUSY}: the memory for a large response is not available; the message names the limit. */
public final class NoRoomException extends CairnException {

    private final long bytes;

    NoRoomException(String message, long bytes) {
        super(ErrorCode.BUSY, message);
        this.bytes = bytes;
    }

    /** The missing memory in bytes. */
    public long bytes() {
        return bytes;
    }
}
