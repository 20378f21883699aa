package io.cairn.cli.migrate;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import java.util.List;

/** @param instances disabled instances too; a key occurs twice if two clients have registered it */
public record ServiceState(ServiceKey key, ServiceSettings settings, List<Instance> instances) {

    public ServiceState {
        instances = List.copyOf(instances);
    }

    public static ServiceState absent(ServiceKey key) {
        return new ServiceState(key, ServiceSettings.NONE, List.of());
    }
}
