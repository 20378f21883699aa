package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;

/** A failure for which some versions of the HTTP API have a code of their own. */
public final class NamingException extends CairnException {

    /** The kinds of failures. */
    public enum Fault {
        /** A service name with an empty group or name. */
        MALFORMED_SERVICE_NAME(ErrorCode.INVALID_PARAMETER),
        /** Metadata that is neither a JSON object nor {@code k=v,k=v}. */
        METADATA_FORMAT(ErrorCode.INVALID_PARAMETER),
        /** A heartbeat whose description of the instance cannot be read. */
        BEAT_FORMAT(ErrorCode.INVALID_PARAMETER),
        WEIGHT(ErrorCode.INVALID_PARAMETER),
        /** A selector of an unknown kind. */
        SELECTOR(ErrorCode.INVALID_PARAMETER),
        /** An instance whose values do not fit together. */
        INSTANCE(ErrorCode.INVALID_PARAMETER),
        /** The service holds instances of the other kind, persistent or ephemeral. */
        OTHER_KIND(ErrorCode.INVALID_PARAMETER),
        /** The health of an instance cannot be set by hand, because the server checks it. */
        HEALTH_IS_CHECKED(ErrorCode.INVALID_PARAMETER),
        /** The service of an instance that was to be changed does not exist. */
        INSTANCE_SERVICE_ABSENT(ErrorCode.NOT_FOUND),
        SERVICE_ABSENT(ErrorCode.NOT_FOUND),
        SERVICE_EXISTS(ErrorCode.CONFLICT),
        SERVICE_NOT_EMPTY(ErrorCode.CONFLICT);

        private final ErrorCode code;

        Fault(ErrorCode code) {
            this.code = code;
        }
    }

    private final Fault fault;

    public NamingException(Fault fault, String text) {
        super(fault.code, text);
        this.fault = fault;
    }

    static NamingException serviceAbsent(ServiceKey service) {
        return new NamingException(Fault.SERVICE_ABSENT, "service " + NamingWire.groupedName(service) + " not found!");
    }

    static NamingException serviceExists(ServiceKey service) {
        return new NamingException(
                Fault.SERVICE_EXISTS, "specified service " + NamingWire.groupedName(service) + " already exists!");
    }

    static NamingException serviceNotEmpty(ServiceKey service) {
        return new NamingException(
                Fault.SERVICE_NOT_EMPTY,
                "Service " + NamingWire.groupedName(service)
                        + " is not empty, can't be delete. Please unregister instance first");
    }

    public Fault fault() {
        return fault;
    }
}
