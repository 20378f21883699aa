package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "clients",
        description =
                "Lists the clients connected over gRPC; with --without-login, all clients that a login for clients would refuse.")
final class ClientsCommand implements Callable<Integer> {

    /** The server's limit. */
    private static final int ASKED_AT_ONCE = 100;

    /** The server's limit. */
    private static final int MOST_EVENTS = 10_000;

    private final Cairn cairn;

    @Option(
            names = "--without-login",
            description =
                    "the clients of all nodes that came without a valid login, or in a rehearsal without the right")
    private boolean withoutLogin;

    ClientsCommand(Cairn cairn) {
        this.cairn = cairn;
    }

    @Override
    public Integer call() {
        return withoutLogin ? listWithoutLogin() : listConnections();
    }

    private int listConnections() {
        Api.OfAllNodes found = cairn.api().getOfAllNodes("/v3/admin/core/connection/list", parameters());
        List<?> connections = Json.items(found.data());
        cairn.printer()
                .table(
                        found.data(),
                        connections,
                        described("ADDRESS", "clientIp"),
                        described("APPLICATION", "appName"),
                        described("SDK", "version"),
                        described("NAMESPACE", "tenant"),
                        Column.of("NODE", "node"));
        noticeSilent(found);
        return 0;
    }

    private static Column described(String heading, String field) {
        return new Column(
                heading,
                row -> Json.text(Json.fields(Json.fields(row).get("connection")).get("metaInfo"), field));
    }

    @Command(
            name = "of",
            description = "Lists the listeners of a configuration: with what they have, by the server's knowledge.")
    int of(
            @Mixin ConfigCommands.Key key,
            @Option(names = "--ask", description = "asks each client itself, where its SDK answers") boolean ask) {
        Api.OfAllNodes found = cairn.api().getOfAllNodes("/v3/admin/cs/config/watchers", key.with(cairn));
        List<?> listeners = Json.items(found.data());
        Map<String, String> held = ask ? held(key, listeners) : Map.of();
        List<Column> columns = new ArrayList<>(List.of(
                Column.of("ADDRESS", "clientIp"),
                Column.of("APPLICATION", "app"),
                Column.of("INSTANCE", "instance"),
                Column.of("SDK", "client"),
                new Column("SINCE", ClientsCommand::since),
                Column.of("HAS", "md5"),
                Column.of("CURRENT", "current"),
                Column.of("RELEASE", "release")));
        if (ask) {
            columns.add(new Column("SAYS", row -> held.getOrDefault(Json.text(row, "connectionId"), "CANNOT_ANSWER")));
        }
        columns.add(Column.of("CONNECTION", "connectionId"));
        columns.add(Column.of("NODE", "node"));
        cairn.printer()
                .table(ask ? withHeld(listeners, held) : found.data(), listeners, columns.toArray(Column[]::new));
        noticeSilent(found);
        return 0;
    }

    private static String since(@Nullable Object listener) {
        String since = Json.text(listener, "since");
        return since.equals("0") ? "" : Printer.time(since);
    }

    private static List<Object> withHeld(List<?> listeners, Map<String, String> held) {
        List<Object> all = new ArrayList<>();
        for (Object listener : listeners) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>(Json.fields(listener));
            fields.put("says", held.getOrDefault(Json.text(listener, "connectionId"), "CANNOT_ANSWER"));
            all.add(fields);
        }
        return all;
    }

    /** The answers by connection: the md5, or the reason for its absence. */
    private Map<String, String> held(ConfigCommands.Key key, List<?> listeners) {
        List<String> ids = listeners.stream()
                .filter(listener -> isTrue(listener, "asks"))
                .map(listener -> Json.text(listener, "connectionId"))
                .toList();
        Map<String, String> held = new HashMap<>();
        for (int from = 0; from < ids.size(); from += ASKED_AT_ONCE) {
            List<String> some = ids.subList(from, Math.min(ids.size(), from + ASKED_AT_ONCE));
            Api.OfAllNodes answers = cairn.api()
                    .getOfAllNodes(
                            "/v3/admin/cs/config/watchers/held",
                            key.with(cairn, "connectionIds", String.join(",", some)));
            noticeSilent(answers);
            for (Object answer : Json.items(answers.data())) {
                String state = Json.text(answer, "state");
                String md5 = Json.text(answer, "md5");
                held.put(
                        Json.text(answer, "connectionId"),
                        state.equals("ANSWERED") ? (md5.isEmpty() ? "NOTHING" : md5) : state);
            }
        }
        return held;
    }

    @Command(name = "configs", description = "Lists the configurations that a connected client listens to.")
    int configs(@Parameters(paramLabel = "CONNECTION") String connection) {
        Api.OfAllNodes found =
                cairn.api().getOfAllNodes("/v3/admin/cs/client/configs", parameters("connectionId", connection));
        cairn.printer()
                .table(
                        found.data(),
                        Json.items(found.data()),
                        Column.of("NAMESPACE", "namespaceId"),
                        Column.of("GROUP", "groupName"),
                        Column.of("DATA ID", "dataId"),
                        Column.of("HAS", "md5"),
                        Column.of("CURRENT", "current"),
                        Column.of("RELEASE", "release"));
        noticeSilent(found);
        return 0;
    }

    @Command(name = "history", description = "Lists what clients were notified of and what they had, the newest first.")
    int history(
            @Option(names = "--config", paramLabel = "DATA_ID") @Nullable String dataId,
            @Option(
                            names = {"-g", "--group"},
                            paramLabel = "GROUP",
                            defaultValue = "DEFAULT_GROUP",
                            description = "of the configuration; default: ${DEFAULT-VALUE}")
                    String group,
            @Option(names = "--address", paramLabel = "IP") @Nullable String address,
            @Option(names = "--app", paramLabel = "NAME") @Nullable String app,
            @Option(names = "--instance", paramLabel = "LABEL") @Nullable String instance,
            @Option(names = "--connection", paramLabel = "ID") @Nullable String connection,
            @Option(
                            names = "--count",
                            paramLabel = "N",
                            defaultValue = "100",
                            converter = Numbers.Count.class,
                            description = "default: ${DEFAULT-VALUE}")
                    int count) {
        if (dataId == null && address == null && app == null && instance == null && connection == null) {
            throw new Failure(
                    "no client is named (expected: one of --config, --address, --app, --instance, --connection)");
        }
        if (count > MOST_EVENTS) {
            throw new Failure("--count: " + count + " (expected: at most " + MOST_EVENTS + ')');
        }
        Map<String, String> asked = parameters(
                "ip",
                address,
                "appName",
                app,
                "instance",
                instance,
                "connectionId",
                connection,
                "pageSize",
                Integer.toString(count));
        if (dataId != null) {
            asked.putAll(parameters("dataId", dataId, "groupName", group, "namespaceId", cairn.namespace()));
        }
        Api.OfAllNodes found = cairn.api().getOfAllNodes("/v3/admin/cs/client/history", asked);
        cairn.printer()
                .table(
                        found.data(),
                        Json.items(found.data()),
                        Column.at("TIME", "at"),
                        new Column("EVENT", ClientsCommand::event),
                        Column.of("DATA ID", "dataId"),
                        Column.of("GROUP", "groupName"),
                        Column.of("HAS", "md5"),
                        Column.of("ADDRESS", "ip"),
                        Column.of("APPLICATION", "app"),
                        Column.of("INSTANCE", "instance"),
                        Column.of("CONNECTION", "connectionId"),
                        Column.of("NODE", "node"));
        noticeSilent(found);
        return 0;
    }

    private static String event(@Nullable Object row) {
        String event = Json.text(row, "event");
        return event.equals("MISSING") ? Json.text(row, "count") + " " + event : event;
    }

    private int listWithoutLogin() {
        Api.OfAllNodes found = cairn.api().getOfAllNodes("/v3/admin/auth/without-login", parameters());
        List<@Nullable Object> clients = new ArrayList<>();
        for (Object report : Json.items(found.data())) {
            for (Object client : Json.items(Json.fields(report).get("clients"))) {
                clients.add(client);
            }
        }
        cairn.printer()
                .table(
                        found.data(),
                        clients,
                        Column.of("ADDRESS", "address"),
                        Column.of("APPLICATION", "application"),
                        Column.of("SDK", "sdk"),
                        Column.of("NAMESPACE", "namespace"),
                        Column.of("USER", "user"),
                        Column.of("MISSING", "reason"),
                        Column.of("RIGHT", "right"),
                        Column.of("REQUESTS", "requests"),
                        new Column("LAST SEEN", ClientsCommand::lastSeen));
        for (Object report : Json.items(found.data())) {
            cairn.notice(sentence(report));
        }
        noticeSilent(found);
        return 0;
    }

    private static String lastSeen(@Nullable Object client) {
        return isTrue(client, "connected") ? "connected" : Printer.time(Json.text(client, "lastSeen"));
    }

    private static String sentence(@Nullable Object report) {
        String node = Json.text(report, "node");
        if (isTrue(report, "clientsNeedLogin")) {
            return node + ": clients need a login";
        }
        if (!isTrue(report, "observed")) {
            return node
                    + ": nobody needs a login, so no client is observed (set nacos.core.auth.admin.enabled=true first)";
        }
        return node + ": clients need no login; "
                + (isTrue(report, "rehearsal") ? "their rights are checked" : "their rights are not checked")
                + ", since " + Printer.time(Json.text(report, "since"))
                + (isTrue(report, "incomplete") ? "; more clients came than it remembers" : "");
    }

    private static boolean isTrue(@Nullable Object object, String field) {
        return Boolean.TRUE.equals(Json.fields(object).get(field));
    }

    private void noticeSilent(Api.OfAllNodes found) {
        if (!found.silent().isEmpty()) {
            cairn.notice("not answered by " + found.silent());
        }
    }
}
