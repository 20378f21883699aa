package io.cairn.server.http.route;

import java.util.ArrayList;
import java.util.List;

/** The routes of one part of the API. The server collects all parts into its {@link RouteTable}. */
public interface HttpRoutes {

    /** The routes of clients and operators. */
    List<HttpRoute> routes();

    /**
     * The routes of consoles. The table serves them below the context path and beside it, because Nacos has no context path on the port
     * for its console.
     */
    default List<HttpRoute> consoleRoutes() {
        return List.of();
    }

    /** The routes of these lists. */
    @SafeVarargs
    static HttpRoutes of(List<HttpRoute>... lists) {
        List<HttpRoute> all = new ArrayList<>();
        for (List<HttpRoute> list : lists) {
            all.addAll(list);
        }
        return new Listed(all, List.of());
    }

    /** These routes, with further ones of consoles. */
    default HttpRoutes withConsole(List<HttpRoute> console) {
        List<HttpRoute> all = new ArrayList<>(consoleRoutes());
        all.addAll(console);
        return new Listed(routes(), all);
    }

    /** Routes that are known when they are collected. */
    record Listed(List<HttpRoute> routes, List<HttpRoute> consoleRoutes) implements HttpRoutes {}
}
