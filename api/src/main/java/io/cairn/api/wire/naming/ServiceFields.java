package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/** The fields by which every request names its service, as they come in. Not thread-safe. */
final class ServiceFields {

    private @Nullable String namespace;
    private @Nullable String serviceName;
    private @Nullable String groupName;

    /** Reads the field when it is one of these; false when it is another one and was not touched. */
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
