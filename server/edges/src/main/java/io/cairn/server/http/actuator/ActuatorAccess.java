package io.cairn.server.http.actuator;

import io.cairn.server.http.route.HttpRule;
import java.util.Set;

/** What each actuator endpoint needs: health nothing, meters the right to read them, and all others every right. */
public final class ActuatorAccess {

    private static final Set<String> OPEN = Set.of("health", "info");
    private static final Set<String> METERS = Set.of("metrics", "prometheus");

    private final String basePath;
    private final HttpRule meters;

    /**
     * @param basePath below which the endpoints are; what stands in it says nothing of them
     * @param anonymousMeters whether anybody may read the meters
     */
    public ActuatorAccess(String basePath, boolean anonymousMeters) {
        this.basePath = basePath;
        meters = anonymousMeters ? HttpRule.OPEN : (policy, who, call) -> policy.checkMeters(who);
    }

    /** What a route with that path needs. */
    public HttpRule of(String path) {
        String endpoint = path.startsWith(basePath + '/') ? path.substring(basePath.length() + 1) : "";
        int end = endpoint.indexOf('/');
        String id = end < 0 ? endpoint : endpoint.substring(0, end);
        if (OPEN.contains(id)) {
            return HttpRule.OPEN;
        }
        return METERS.contains(id) ? meters : HttpRule.ADMIN;
    }
}
