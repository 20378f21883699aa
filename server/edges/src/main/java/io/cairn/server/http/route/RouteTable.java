package io.cairn.server.http.route;

import io.cairn.server.change.RevisionGate;
import java.util.ArrayList;
import java.util.List;

/**
 * All routes of a server. Immutable.
 *
 * @param contextPath the path before every route, without a closing slash; may be empty
 * @param errors answer to the paths that no route has
 */
public record RouteTable(String contextPath, List<HttpRoute> routes, ContainerErrors errors) {

    public RouteTable {
        routes = List.copyOf(routes);
    }

    /**
     * The routes of all parts, and the reference of the API that they make up.
     *
     * @param version of the server, for the reference
     * @param gate holds requests until the revision that they ask for is shown
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
