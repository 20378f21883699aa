package io.cairn.cli;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.BridgeServer.Dialect;
import io.cairn.cli.Printer.Column;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.Report;
import io.cairn.cli.migrate.ServiceState;
import io.cairn.cli.migrate.Side;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Counts the instances of each side. */
final class MigrateStatus {

    private final BridgeServer source;
    private final BridgeServer target;

    MigrateStatus(BridgeServer source, BridgeServer target) {
        this.source = source;
        this.target = target;
    }

    private static final class Row {
        private final Map<Side, Set<InstanceKey>> clients =
                new EnumMap<>(Map.of(Side.SOURCE, new HashSet<>(), Side.TARGET, new HashSet<>()));
        private final Map<Side, Set<InstanceKey>> shown =
                new EnumMap<>(Map.of(Side.SOURCE, new HashSet<>(), Side.TARGET, new HashSet<>()));
        private int copies;

        private static Set<InstanceKey> at(Map<Side, Set<InstanceKey>> sides, Side side) {
            return Objects.requireNonNull(sides.get(side));
        }

        private void add(Side side, Instance instance) {
            at(shown, side).add(instance.key());
            if (Origin.isCopy(instance)) {
                copies++;
            } else {
                at(clients, side).add(instance.key());
            }
        }

        private long missing(Side side) {
            return at(clients, side.other()).stream()
                    .filter(key -> !at(shown, side).contains(key))
                    .count();
        }

        private Map<String, Object> described(String service) {
            return parameters(
                    "service",
                    service,
                    "atSource",
                    at(clients, Side.SOURCE).size(),
                    "atTarget",
                    at(clients, Side.TARGET).size(),
                    "copies",
                    copies,
                    "missingAtSource",
                    missing(Side.SOURCE),
                    "missingAtTarget",
                    missing(Side.TARGET));
        }
    }

    void print(Cairn cairn, List<Namespace> namespaces, Report report) {
        Map<String, Row> rows = new TreeMap<>();
        try (BridgeClients none = new BridgeClients(() -> {
            throw new IllegalStateException("a status needs no connection");
        })) {
            for (Namespace namespace : namespaces) {
                new BridgeServices(source, none).list(namespace, state -> add(rows, Side.SOURCE, state));
                new BridgeServices(target, none).list(namespace, state -> add(rows, Side.TARGET, state));
            }
        }
        List<Map<String, Object>> services = new ArrayList<>();
        rows.forEach((service, row) -> services.add(row.described(service)));
        long incomplete = rows.values().stream()
                .filter(row -> row.missing(Side.SOURCE) + row.missing(Side.TARGET) > 0)
                .count();
        int open = report.unequal().size();
        ConnectedClients.Found connected = ConnectedClients.of(source, target);
        Optional<Duration> behind = report.oldestBehind().map(oldest -> Duration.between(oldest, Instant.now()));
        Printer printer = cairn.printer();
        if (printer.isJson()) {
            printer.json(parameters(
                    "services",
                    services,
                    "clients",
                    connected.clients(),
                    "clientsNotListed",
                    notListed(connected),
                    "clientsAtSource",
                    clients(source),
                    "clientsAtTarget",
                    clients(target),
                    "secondsBehind",
                    behind.map(Duration::toSeconds).orElse(0L),
                    "open",
                    open,
                    "servicesIncomplete",
                    incomplete));
            return;
        }
        printer.table(
                services,
                services,
                Column.of("SERVICE", "service"),
                Column.of("AT SOURCE", "atSource"),
                Column.of("AT TARGET", "atTarget"),
                Column.of("COPIES", "copies"),
                Column.of("MISSING AT SOURCE", "missingAtSource"),
                Column.of("MISSING AT TARGET", "missingAtTarget"));
        printer.line("");
        printer.table(
                connected.clients(),
                connected.clients(),
                Column.of("CLIENT", "client"),
                Column.of("APPLICATION", "application"),
                Column.of("VERSION", "version"),
                Column.of("AT SOURCE", "atSource"),
                Column.of("AT TARGET", "atTarget"));
        notListed(connected)
                .forEach((side, status) ->
                        printer.line("The connections of the " + side + " are not listed (status " + status + ")"));
        printer.line("Clients with instances or subscriptions: " + clients(source) + " at the source, "
                + clients(target) + " at the target");
        printer.line(behind.map(
                        time -> "Behind: the oldest change that is not carried over is " + time.toSeconds() + " s old")
                .orElse("Behind: no change is known that is not carried over"));
        if (open + incomplete > 0) {
            printer.line(
                    "Open: " + open + " conflicts and failures; instances are missing in " + incomplete + " services");
        }
    }

    private static Map<String, Object> notListed(ConnectedClients.Found connected) {
        Map<String, Object> statuses = new TreeMap<>();
        connected.notListed().forEach((side, status) -> statuses.put(side.toString(), status));
        return statuses;
    }

    private static Map<String, Object> parameters(Object... namesAndValues) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            parameters.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return parameters;
    }

    private static void add(Map<String, Row> rows, Side side, ServiceState state) {
        ServiceKey key = state.key();
        if (!key.group().equals(Origin.BRIDGES)) {
            Row row = rows.computeIfAbsent(key.toString(), service -> new Row());
            state.instances().forEach(instance -> row.add(side, instance));
        }
    }

    private static String clients(BridgeServer server) {
        String path = server.dialect() == Dialect.V3 ? "/v3/admin/ns/client/list" : "/v2/ns/client/list";
        HttpResponse<String> response =
                server.send(asked -> asked.request(path, Map.of()).GET());
        return response.statusCode() == 200
                ? String.valueOf(Json.items(server.data(response)).size())
                : "unknown";
    }
}
