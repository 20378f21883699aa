package io.cairn.server.http.actuator;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.Set;

/** The right that each actuator endpoint needs: none for health, to read meters for meters, and every right for the others. */
public final class ActuatorAccess {

    static final Operation<HttpRequest> OPEN = Operation.unlisted(Right.open());
    static final Operation<HttpRequest> METERS = Operation.unlisted(Right.ofCaller(AccessPolicy::checkMeters));
    static final Operation<HttpRequest> ADMIN = Operation.unlisted(Right.admin());

    private static final Set<String> OPEN_IDS = Set.of("health", "info");
    private static final Set<String> METER_IDS = Set.of("metrics", "prometheus");

    private final String basePath;
    private final Operation<HttpRequest> meters;

    /**
     * @param basePath below which the endpoints are; what stands in it says nothing of them
     * @param anonymousMeters whether meters need no right
     */
    public ActuatorAccess(String basePath, boolean anonymousMeters) {
        this.basePath = basePath;
        meters = anonymousMeters ? OPEN : METERS;
    }

    /** The operation of a route with that path. */
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
