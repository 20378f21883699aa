package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.BridgeServer.Dialect;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** The users, roles and permissions that a server's API gives; no API gives passwords. */
final class AccountLists {

    enum Kind {
        USER("user", "users"),
        ROLE("role", "roles"),
        PERMISSION("permission", "permissions");

        private final String one;
        private final String many;

        Kind(String one, String many) {
            this.one = one;
            this.many = many;
        }

        String path(BridgeServer server) {
            return server.dialect() == Dialect.V3 ? "/v3/auth/" + one : "/v1/auth/" + many;
        }

        private String listPath(BridgeServer server) {
            return server.dialect() == Dialect.V3 ? path(server) + "/list" : path(server);
        }
    }

    private static final int PAGE = 100;

    private AccountLists() {}

    /** Empty where the server has no accounts. */
    static List<Object> of(BridgeServer server, Kind kind) {
        List<Object> all = new ArrayList<>();
        for (int page = 1; ; page++) {
            int number = page;
            HttpResponse<String> response = server.send(asked -> asked.request(
                            kind.listPath(server),
                            parameters("search", "accurate", "pageNo", "" + number, "pageSize", "" + PAGE))
                    .GET());
            if (response.statusCode() == 404) {
                return all;
            }
            Object body = server.json(server.text(response));
            Object found = Json.fields(body).containsKey("pageItems")
                    ? body
                    : Json.fields(body).get("data");
            List<?> items = Json.items(Json.fields(found).get("pageItems"));
            all.addAll(items);
            if (items.size() < PAGE) {
                return all;
            }
        }
    }
}
