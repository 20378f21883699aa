package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/** The unchecked fields that identify a service in every request. Not thread-safe. */
final class ServiceFields {

    private @Nullable String namespace;
    private @Nullable String serviceName;
    private @Nullable String groupName;

    /** Reads a field of the service; returns false, without consuming it, for another field. */
    boolean read(String field, JsonInput in) {
        switch (field) {
            case "namespace" -> namespace = in.text();
            case "serviceName" -> serviceName = in.text();
            case "groupName" -> groupName = in.text();
            default -> {
                return false;
            }
        }
        return true;
    }

    ServiceName toName() {
        return new ServiceName(namespace, serviceName, groupName);
    }
}
