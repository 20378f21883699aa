package io.cairn.server.config.transfer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** Why nothing was transferred. Some API versions have a code for each fault. */
public final class TransferException extends CairnException {

    public enum Fault {
        /** The target was never created. */
        NO_SUCH_NAMESPACE(ErrorCode.NOT_FOUND),
        /** The archive's list is unreadable, or lacks a name or type. */
        ILLEGAL_METADATA(ErrorCode.INVALID_PARAMETER),
        /** No configuration could be published, or a check refuses one. */
        ILLEGAL_CONFIG(ErrorCode.INVALID_PARAMETER),
        /** The archive is unreadable, or has an illegal entry. */
        UNREADABLE(ErrorCode.INVALID_PARAMETER),
        /** There is no archive or an empty one; version 1 answers without a cause, as Nacos does. */
        EMPTY(ErrorCode.INVALID_PARAMETER),
        /** The file is empty or no archive, or has no configuration. */
        NO_CONFIGURATION(ErrorCode.INVALID_PARAMETER),
        /** No selected configuration exists; the answer has no cause, as in Nacos. */
        NOTHING_FOUND(ErrorCode.INVALID_PARAMETER),
        NOTHING_SELECTED(ErrorCode.INVALID_PARAMETER);

        private final ErrorCode code;

        Fault(ErrorCode code) {
            this.code = code;
        }
    }

    private final Fault fault;

    public TransferException(Fault fault, String text) {
        super(fault.code, text);
        this.fault = fault;
    }

    public Fault fault() {
        return fault;
    }
}
