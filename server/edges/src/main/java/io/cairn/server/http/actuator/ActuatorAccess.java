package io.cairn.server.http.actuator;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.Set;

/** The right of each actuator endpoint: nothing for health, the right to read meters for meters, every right for the others. */
public final class ActuatorAccess {

    static final Operation<HttpRequest> OPEN = Operation.unlisted(Right.open());
    static final Operation<HttpRequest> METERS = Operation.unlisted(Right.ofCaller(AccessPolicy::checkMeters));
    static final Operation<HttpRequest> ADMIN = Operation.unlisted(Right.admin());

    private static final Set<String> OPEN_IDS = Set.of("health", "info");
    private static final Set<String> METER_IDS = Set.of("metrics", "prometheus");

    private final String basePath;
    private final Operation<HttpRequest> meters;

    /**
     * @param basePath of the endpoints
     * @param anonymousMeters whether meters need no right
     */
    public ActuatorAccess(String basePath, boolean anonymousMeters) {
        this.basePath = basePath;
        meters = anonymousMeters ? OPEN : METERS;
    }

    Operation<HttpRequest> of(String path) {
        String endpoint = path.startsWith(basePath + '/') ? path.substring(basePath.length() + 1) : "";
        int end = endpoint.indexOf('/');
        String id = end < 0 ? endpoint : endpoint.substring(0, end);
        if (OPEN_IDS.contains(id)) {
            return OPEN;
        }
        return METER_IDS.contains(id) ? meters : ADMIN;
    }
}
