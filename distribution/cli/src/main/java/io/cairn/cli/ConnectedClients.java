package io.cairn.cli;

import io.cairn.cli.BridgeServer.Dialect;
import io.cairn.cli.migrate.Side;
import java.net.http.HttpResponse;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the gRPC connections of two servers by client. A cluster lists the connections of a single node. */
final class ConnectedClients {

    private static final String OWN = "cairn-migrate";

    private ConnectedClients() {}

    private record Client(String ip, String application, String version) implements Comparable<Client> {

        @Override
        public int compareTo(Client other) {
            return (application + '\n' + ip + '\n' + version)
                    .compareTo(other.application + '\n' + other.ip + '\n' + other.version);
        }
    }

    /** @param notListed the statuses of servers that do not list their connections */
    record Found(List<Map<String, Object>> clients, Map<Side, Integer> notListed) {}

    /** Without the bridge's own connections. */
    static Found of(BridgeServer source, BridgeServer target) {
        Map<Client, Map<Side, Integer>> counts = new TreeMap<>();
        Map<Side, Integer> notListed = new EnumMap<>(Side.class);
        count(counts, notListed, Side.SOURCE, source);
        count(counts, notListed, Side.TARGET, target);
        return new Found(
                counts.entrySet().stream()
                        .map(each -> described(each.getKey(), each.getValue()))
                        .toList(),
                notListed);
    }

    private static void count(
            Map<Client, Map<Side, Integer>> counts, Map<Side, Integer> notListed, Side side, BridgeServer server) {
        boolean v3 = server.dialect() == Dialect.V3;
        String path = v3 ? "/v3/admin/core/loader/current" : "/v2/core/loader/current";
        HttpResponse<String> response =
                server.send(asked -> asked.request(path, Map.of()).GET());
        if (response.statusCode() != 200) {
            notListed.put(side, response.statusCode());
            return;
        }
        Object found = v3 ? server.data(response) : server.json(response.body());
        Json.fields(found).values().forEach(connection -> {
            Object meta = Json.fields(connection).get("metaInfo");
            Client client =
                    new Client(Json.text(meta, "clientIp"), Json.text(meta, "appName"), Json.text(meta, "version"));
            if (!client.application().equals(OWN)) {
                counts.computeIfAbsent(client, none -> new EnumMap<>(Side.class))
                        .merge(side, 1, Integer::sum);
            }
        });
    }

    private static Map<String, Object> described(Client client, Map<Side, Integer> count) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("client", client.ip());
        row.put("application", client.application());
        row.put("version", client.version());
        row.put("atSource", count.getOrDefault(Side.SOURCE, 0));
        row.put("atTarget", count.getOrDefault(Side.TARGET, 0));
        return row;
    }
}
