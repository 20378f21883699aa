package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** What version 1 of the HTTP API offers of configurations and namespaces. */
record V1ConfigRoutes(List<HttpRoute> routes) {}
