package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** What versions 2 and 3 of the HTTP API offer of configurations, namespaces and the server itself. */
record ConfigRoutes(List<HttpRoute> routes) {}
