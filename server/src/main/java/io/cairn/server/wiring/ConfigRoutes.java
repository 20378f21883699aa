package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** The routes of versions 2 and 3 for configurations, namespaces and the server itself. */
record ConfigRoutes(List<HttpRoute> routes) {}
