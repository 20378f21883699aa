package io.cairn.api.wire.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import org.jspecify.annotations.Nullable;

/** The unchecked name of a service. */
public record ServiceName(
        @Nullable String namespace,
        @Nullable String serviceName,
        @Nullable String groupName) {

    public static ServiceName of(ServiceKey service) {
        return new ServiceName(service.namespace().id(), service.name(), service.group());
    }

    JsonOutput fields(int expectedBytes) {
        return new JsonOutput(expectedBytes)
                .text("namespace", namespace)
                .text("serviceName", serviceName)
                .text("groupName", groupName);
    }
}
