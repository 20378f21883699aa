package io.cairn.server.config.transfer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** The reason for which nothing was transferred. Some versions of the HTTP API have a code of their own for each. */
public final class TransferException extends CairnException {

    /** The kinds of faults. */
    public enum Fault {
        /** The target was never created. */
        NO_SUCH_NAMESPACE(ErrorCode.NOT_FOUND),
        /** The archive's list of configurations cannot be read, or lacks a name or a type. */
        ILLEGAL_METADATA(ErrorCode.INVALID_PARAMETER),
        /** None of the configurations in the archive could be published, or a check of contents refuses one. */
        ILLEGAL_CONFIG(ErrorCode.INVALID_PARAMETER),
        /** The archive cannot be read, or contains an illegal entry. */
        UNREADABLE(ErrorCode.INVALID_PARAMETER),
        /** There is no archive, or it is empty; version 1 answers without a cause, as Nacos does. */
        EMPTY(ErrorCode.INVALID_PARAMETER),
        /** The file is empty or not an archive, or no file of the archive is a configuration. */
        NO_CONFIGURATION(ErrorCode.INVALID_PARAMETER),
        /** None of the selected configurations exists; the answer has no cause, as in Nacos. */
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
