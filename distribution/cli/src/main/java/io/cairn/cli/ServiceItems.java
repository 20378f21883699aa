package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.BridgeServer.Dialect;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The services of a namespace with their instances, each once. */
final class ServiceItems {

    static final int PAGE = 200;

    private ServiceItems() {}

    static void list(BridgeServer server, Namespace namespace, BiConsumer<ServiceKey, Object> each) {
        boolean v3 = server.dialect() == Dialect.V3;
        String path = v3 ? "/v3/admin/ns/service/list" : "/v1/ns/catalog/services";
        // Nacos 1.3 counts these pages from 0; for later ones 0 is the first page too.
        int first = server.isHttpOnly() ? 0 : 1;
        Set<ServiceKey> listed = new HashSet<>();
        for (int page = first; ; page++) {
            Map<String, String> asked = parameters(
                    "namespaceId", namespace.id(), "withInstances", "true", "pageNo", "" + page, "pageSize", "" + PAGE);
            if (!v3) {
                asked.put("hasIpCount", "false");
            }
            HttpResponse<String> response =
                    server.send(request -> request.request(path, asked).GET());
            List<?> items = v3
                    ? Json.items(Json.fields(server.data(response)).get("pageItems"))
                    : Json.items(server.json(server.text(response)));
            boolean isNews = false;
            for (Object item : items) {
                ServiceKey key = new ServiceKey(namespace, Json.text(item, "groupName"), name(item));
                if (listed.add(key)) {
                    isNews = true;
                    each.accept(key, item);
                }
            }
            // A Nacos whose services all fit in a page sends them with each page.
            if (page > 0 && items.size() < PAGE || page > 1 && !isNews) {
                return;
            }
        }
    }

    private static String name(Object item) {
        String name = Json.text(item, "serviceName");
        return name.isEmpty() ? Json.text(item, "name") : name;
    }
}
