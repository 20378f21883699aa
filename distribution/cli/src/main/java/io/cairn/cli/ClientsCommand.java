package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "clients",
        description =
                "Lists the clients connected over gRPC; with --without-login, all clients that a login for clients would refuse.")
final class ClientsCommand implements Callable<Integer> {

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
