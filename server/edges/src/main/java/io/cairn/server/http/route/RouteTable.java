package io.cairn.server.http.route;

import io.cairn.server.change.RevisionGate;
import java.util.ArrayList;
import java.util.List;

/**
 * All routes of a server.
 *
 * @param contextPath before every route, without a final slash; may be empty
 * @param errors for unknown paths
 */
public record RouteTable(String contextPath, List<HttpRoute> routes, ContainerErrors errors) {

    public RouteTable {
        routes = List.copyOf(routes);
    }

    /**
     * @param version of the server, for the reference
     * @param gate delays requests until their revision is shown
     */
    public static RouteTable of(
            String contextPath, List<HttpRoutes> parts, String version, RevisionGate gate, ContainerErrors errors) {
        List<HttpRoute> routes = new ArrayList<>();
        for (HttpRoutes part : parts) {
            routes.addAll(part.routes());
            for (HttpRoute route : part.consoleRoutes()) {
                routes.add(route);
                if (!contextPath.isEmpty()) {
                    routes.add(route.besideContextPath());
                }
            }
        }
        routes.add(OpenApiEndpoint.of(new OpenApiDocument(contextPath, version), List.copyOf(routes), errors));
        routes.replaceAll(route -> route.afterRevision(gate));
        return new RouteTable(contextPath, routes, errors);
    }
}
