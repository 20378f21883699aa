package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;

/** A failure with its own code in some HTTP API versions. */
public final class NamingException extends CairnException {

    public enum Fault {
        /** An empty group or name. */
        MALFORMED_SERVICE_NAME(ErrorCode.INVALID_PARAMETER),
        /** Neither a JSON object nor {@code k=v,k=v}. */
        METADATA_FORMAT(ErrorCode.INVALID_PARAMETER),
        /** An unreadable description of the instance. */
        BEAT_FORMAT(ErrorCode.INVALID_PARAMETER),
        WEIGHT(ErrorCode.INVALID_PARAMETER),
        /** An unknown kind of selector. */
        SELECTOR(ErrorCode.INVALID_PARAMETER),
        /** The values contradict each other. */
        INSTANCE(ErrorCode.INVALID_PARAMETER),
        /** The service holds the other kind of instances. */
        OTHER_KIND(ErrorCode.INVALID_PARAMETER),
        /** The server checks the instance, so its health cannot be set. */
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

    public static NamingException serviceAbsent(ServiceKey service) {
        return new NamingException(Fault.SERVICE_ABSENT, "service " + NamingWire.groupedName(service) + " not found!");
    }

    public static NamingException serviceExists(ServiceKey service) {
        return new NamingException(
                Fault.SERVICE_EXISTS, "specified service " + NamingWire.groupedName(service) + " already exists!");
    }

    public static NamingException serviceNotEmpty(ServiceKey service) {
        return new NamingException(
                Fault.SERVICE_NOT_EMPTY,
                "Service " + NamingWire.groupedName(service)
                        + " is not empty, can't be delete. Please unregister instance first");
    }

    public Fault fault() {
        return fault;
    }
}
