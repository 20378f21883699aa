package io.cairn.spring.health;

import io.cairn.client.CairnClient;
import java.util.LinkedHashMap;
import java.util.Map;

/** The health of the connection: up or unknown, but never down, because an application works without the registry. */
record ConnectionHealth(boolean up, Map<String, Object> details) {

    static ConnectionHealth of(CairnClient client) {
        Map<String, Object> details = new LinkedHashMap<>();
        client.server().ifPresent(server -> details.put("server", server.toString()));
        client.problem().ifPresent(problem -> details.put("problem", String.valueOf(problem.getMessage())));
        details.put("namespace", client.namespace().id());
        details.put("watchedConfigurations", client.configs().watched());
        return new ConnectionHealth(client.connected(), details);
    }
}
