package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "nodes",
        description = "Shows the nodes of a cluster; its subcommands move clients.",
        synopsisSubcommandLabel = "[COMMAND]")
final class NodesCommand extends Group {

    private static final String CLUSTER = "/v3/admin/core/cluster";
    private static final long UNKNOWN_CLOCK = Long.MIN_VALUE;

    NodesCommand(Cairn cairn) {
        super(cairn);
    }

    @Override
    public Integer call() {
        Object status = cairn.api().get(CLUSTER + "/status", parameters());
        if (!(Json.fields(status).get("nodes") instanceof List<?> nodes)) {
            throw new Failure("the server does not describe its nodes; it may be of an earlier release");
        }
        Printer printer = cairn.printer();
        if (printer.isJson()) {
            printer.json(status);
            return 0;
        }
        long now = System.currentTimeMillis();
        printer.table(
                nodes,
                nodes,
                Column.of("NODE", "address"),
                new Column("STATE", NodesCommand::state),
                Column.of("VERSION", "version"),
                new Column("UP", node -> up(node, now)),
                Column.of("CLIENTS", "connections"),
                Column.of("OWN", "owned"),
                Column.of("MIRRORED", "mirrored"),
                new Column("BEHIND", NodesCommand::behind),
                new Column("COPIES", NodesCommand::copies),
                new Column("REVISION", NodesCommand::revision),
                new Column("CLOCK", NodesCommand::clock),
                Column.of("WHY", "reason"));
        if (!isTrue(status, "cluster")) {
            cairn.notice("this is a single server; several servers with one database are a cluster:"
                    + " conf/cluster.conf names them, and bin/startup.sh -m cluster starts each");
        }
        List<String> silent = silent(nodes);
        if (!silent.isEmpty()) {
            cairn.notice("not answered by " + String.join(", ", silent) + "; what stands there is what "
                    + Json.text(status, "node") + " knows of it");
        }
        return 0;
    }

    private static boolean isTrue(@Nullable Object object, String field) {
        return Boolean.TRUE.equals(Json.fields(object).get(field));
    }

    private static long number(@Nullable Object object, String field, long ifAbsent) {
        return Json.fields(object).get(field) instanceof Number number ? number.longValue() : ifAbsent;
    }

    private static List<String> silent(List<?> nodes) {
        List<String> silent = new ArrayList<>();
        for (Object node : nodes) {
            if (!isTrue(node, "answered") && !Json.text(node, "presence").equals("ABSENT")) {
                silent.add(Json.text(node, "address"));
            }
        }
        return silent;
    }

    /** The node's state, or that it is unreachable. */
    private static String state(@Nullable Object node) {
        String presence = Json.text(node, "presence");
        return presence.equals("PRESENT") ? Json.text(node, "state") : presence;
    }

    private static String up(@Nullable Object node, long nowMillis) {
        long started = number(node, "startedAt", 0);
        if (started == 0 || Json.text(node, "presence").equals("ABSENT")) {
            return "";
        }
        Duration up = Duration.ofMillis(Math.max(0, nowMillis - started));
        if (up.toDays() > 0) {
            return up.toDays() + "d " + up.toHoursPart() + "h";
        }
        return up.toHours() > 0
                ? up.toHours() + "h " + up.toMinutesPart() + "m"
                : up.toMinutes() + "m " + up.toSecondsPart() + "s";
    }

    private static String behind(@Nullable Object node) {
        if (!isTrue(node, "answered")) {
            return "?";
        }
        long behind = number(node, "behind", 0);
        return behind == 0 ? "0" : behind + " for " + number(node, "behindMillis", 0) + " ms";
    }

    private static String copies(@Nullable Object node) {
        Object equal = Json.fields(node).get("digestsEqual");
        return equal == null ? "" : Boolean.TRUE.equals(equal) ? "equal" : "DIFFER";
    }

    private static String revision(@Nullable Object node) {
        long behind = number(node, "revisionsBehind", 0);
        return Json.text(node, "revision") + (behind == 0 ? "" : " (-" + behind + ")");
    }

    private static String clock(@Nullable Object node) {
        long offset = number(node, "clockOffsetMillis", UNKNOWN_CLOCK);
        return offset == UNKNOWN_CLOCK ? "" : (offset > 0 ? "+" : "") + offset + " ms";
    }

    @Command(
            name = "drain",
            description =
                    "Moves the clients of a node to the others. It stays a member without clients until undrained.")
    int drain(
            @Parameters(paramLabel = "ADDRESS", description = "host:port of HTTP, as 'cairn nodes' shows it")
                    String address) {
        return ask("/node/drain", address);
    }

    @Command(name = "undrain", description = "Ends the drain of a node: it accepts clients again.")
    int undrain(
            @Parameters(paramLabel = "ADDRESS", description = "host:port of HTTP, as 'cairn nodes' shows it")
                    String address) {
        return ask("/node/undrain", address);
    }

    @Command(name = "rebalance", description = "Distributes the gRPC clients evenly over the nodes in service.")
    int rebalance() {
        return ask("/rebalance", null);
    }

    private int ask(String what, @Nullable String address) {
        Object said = cairn.api().post(CLUSTER + what, parameters("address", address));
        cairn.printer().done(said, String.valueOf(said));
        return 0;
    }
}
