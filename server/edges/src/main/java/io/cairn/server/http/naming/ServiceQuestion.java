package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Names in the questions of nodes to each other. */
final class ServiceQuestion {

    private ServiceQuestion() {}

    static Map<String, String> of(ServiceKey service) {
        return Map.of("namespace", service.namespace().id(), "group", service.group(), "service", service.name());
    }

    static Map<String, String> of(ServiceKey service, InstanceKey instance) {
        Map<String, String> asked = new HashMap<>(of(service));
        asked.put("ip", instance.ip());
        asked.put("port", Integer.toString(instance.port()));
        asked.put("cluster", instance.cluster());
        return asked;
    }

    static ServiceKey service(Map<String, String> asked) {
        return new ServiceKey(
                Namespace.ofNullable(asked.get("namespace")), required(asked, "group"), required(asked, "service"));
    }

    static InstanceKey instance(Map<String, String> asked) {
        return new InstanceKey(
                required(asked, "ip"), Integer.parseInt(required(asked, "port")), required(asked, "cluster"));
    }

    static String required(Map<String, String> asked, String name) {
        return Objects.requireNonNull(asked.get(name), name);
    }
}
