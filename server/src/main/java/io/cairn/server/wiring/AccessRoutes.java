package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** The endpoints of login, users, permissions, tokens and the audit. */
record AccessRoutes(List<HttpRoute> v1, List<HttpRoute> v3) {}
