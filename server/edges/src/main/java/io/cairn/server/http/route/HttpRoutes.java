package io.cairn.server.http.route;

import java.util.ArrayList;
import java.util.List;

/** The routes of one part of the API, to be collected in the {@link RouteTable}. */
public interface HttpRoutes {

    /** Routes of clients and operators. */
    List<HttpRoute> routes();

    /** Routes of consoles, below the context path and beside it: Nacos's console port has no context path. */
    default List<HttpRoute> consoleRoutes() {
        return List.of();
    }

    @SafeVarargs
    static HttpRoutes of(List<HttpRoute>... lists) {
        List<HttpRoute> all = new ArrayList<>();
        for (List<HttpRoute> list : lists) {
            all.addAll(list);
        }
        return new Listed(all, List.of());
    }

    default HttpRoutes withConsole(List<HttpRoute> console) {
        List<HttpRoute> all = new ArrayList<>(consoleRoutes());
        all.addAll(console);
        return new Listed(routes(), all);
    }

    /** Known routes. */
    record Listed(List<HttpRoute> routes, List<HttpRoute> consoleRoutes) implements HttpRoutes {}
}
