package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** The endpoints of login, users, permissions, tokens, the audit and shared secrets. */
record AccessRoutes(List<HttpRoute> v1, List<HttpRoute> v3) {}
