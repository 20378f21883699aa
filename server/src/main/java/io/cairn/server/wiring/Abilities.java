package io.cairn.server.wiring;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The abilities that this server announces to clients; a client refuses by itself what they do not include. */
final class Abilities {

    /** The abilities for every client. */
    static final Map<String, Boolean> ALL = all();

    private Abilities() {}

    private static Map<String, Boolean> all() {
        Map<String, Boolean> abilities = new LinkedHashMap<>();
        abilities.put("supportPersistentInstanceByGrpc", true);
        abilities.put("fuzzyWatch", true);
        return Collections.unmodifiableMap(abilities);
    }
}
