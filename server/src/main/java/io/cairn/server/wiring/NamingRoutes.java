package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** The endpoints of the registry in versions 2 and 3 of the HTTP API. */
record NamingRoutes(List<HttpRoute> routes) {}
