package io.cairn.server.config.transfer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** Why nothing could be transferred, with what versions of the HTTP API tell apart by codes of their own. */
public final class TransferException extends CairnException {

    /** What is wrong. */
    public enum Fault {
        /** The target was never created. */
        NO_SUCH_NAMESPACE(ErrorCode.NOT_FOUND),
        /** The archive's list of configurations cannot be read, or lacks a name or a type. */
        ILLEGAL_METADATA(ErrorCode.INVALID_PARAMETER),
        /** None of the configurations in the archive could be published, or a check of contents refuses one. */
        ILLEGAL_CONFIG(ErrorCode.INVALID_PARAMETER),
        /** The archive cannot be read, or holds what it should not. */
        UNREADABLE(ErrorCode.INVALID_PARAMETER),
        /** There is no archive, or nothing in it; version 1 answers that as Nacos does, without a cause. */
        EMPTY(ErrorCode.INVALID_PARAMETER),
        /** The file is empty or of another kind, or no file of the archive is a configuration. */
        NO_CONFIGURATION(ErrorCode.INVALID_PARAMETER),
        /** None of the configurations that were selected is there; answered as Nacos does, without a cause. */
        NOTHING_FOUND(ErrorCode.INVALID_PARAMETER),
        /** Nothing was selected. */
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
