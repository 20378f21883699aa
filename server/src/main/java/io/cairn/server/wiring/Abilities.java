package io.cairn.server.wiring;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

final class Abilities {

    static final Map<String, Boolean> ALL = all();

    private Abilities() {}

    private static Map<String, Boolean> all() {
        Map<String, Boolean> abilities = new LinkedHashMap<>();
        abilities.put("supportPersistentInstanceByGrpc", true);
        abilities.put("fuzzyWatch", true);
        return Collections.unmodifiableMap(abilities);
    }
}
