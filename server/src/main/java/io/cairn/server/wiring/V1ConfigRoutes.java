package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** The routes of version 1 for configurations and namespaces. */
record V1ConfigRoutes(List<HttpRoute> routes) {}
