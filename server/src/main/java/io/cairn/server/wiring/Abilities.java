package io.cairn.server.wiring;

import io.cairn.server.connection.ClientIdentity;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What this server tells clients that it can do; they refuse by themselves what it does not. */
final class Abilities {

    private static final String PERSISTENT_INSTANCES = "supportPersistentInstanceByGrpc";
    private static final String FUZZY_WATCH = "fuzzyWatch";
    private static final Map<String, Boolean> OF_CONFIGURATIONS = Map.of(PERSISTENT_INSTANCES, true);
    private static final Map<String, Boolean> OF_ALL_OTHERS = withFuzzyWatch();

    private Abilities() {}

    private static Map<String, Boolean> withFuzzyWatch() {
        Map<String, Boolean> abilities = new LinkedHashMap<>(OF_CONFIGURATIONS);
        abilities.put(FUZZY_WATCH, true);
        return Collections.unmodifiableMap(abilities);
    }

    /**
     * Services can be watched by patterns, configurations not yet. Clients have connections of their own for each; one
     * of configurations that took the ability for granted would ask over and over.
     */
    static Map<String, Boolean> of(ClientIdentity client) {
        return "config".equals(client.labels().get("module")) ? OF_CONFIGURATIONS : OF_ALL_OTHERS;
    }
}
