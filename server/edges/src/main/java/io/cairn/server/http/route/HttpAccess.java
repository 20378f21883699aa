package io.cairn.server.http.route;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The table of what each route needs. A route that is not in it keeps the server from starting. */
public final class HttpAccess {

    private final Map<String, HttpRule> rules = new HashMap<>();

    /** @param routes {@code METHOD /path}, as the routes are declared */
    public HttpAccess put(HttpRule rule, String... routes) {
        for (String route : routes) {
            if (rules.put(route, rule) != null) {
                throw new IllegalArgumentException("two access rules for " + route);
            }
        }
        return this;
    }

    /** @throws IllegalArgumentException naming all routes that have no rule */
    Map<HttpRoute, HttpRule> of(List<HttpRoute> routes) {
        Map<HttpRoute, HttpRule> found = new HashMap<>();
        List<String> missing = new ArrayList<>();
        for (HttpRoute route : routes) {
            HttpRule rule = rules.get(route.method() + ' ' + route.path());
            if (rule == null) {
                missing.add(route.method() + ' ' + route.path());
            } else {
                found.put(route, rule);
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("no access rule for " + String.join(", ", missing)
                    + " (add one to V1Access, V2Access or V3Access)");
        }
        return found;
    }
}
