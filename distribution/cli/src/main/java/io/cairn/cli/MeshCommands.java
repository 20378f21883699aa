package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "mesh", description = "Proxies and gRPC clients that use xDS.", synopsisSubcommandLabel = "COMMAND")
final class MeshCommands extends Group {

    private static final String MESH = "/v3/admin/mesh";
    private static final List<String> TYPES = List.of("cds", "eds", "lds", "rds");
    /** Other names of the types, in the same order. */
    private static final List<String> KINDS = List.of("clusters", "endpoints", "listeners", "routes");

    private static final List<String> FLAVOURS = List.of("envoy", "grpc", "mosn");
    private static final List<String> BOOTSTRAPS = List.of("envoy", "grpc", "mosn", MeshBootstrap.TOKEN_KIND);
    private static final List<String> STATES =
            List.of("current", "waiting", "refusing", "starting", "refused", "denied", "unauthenticated");

    MeshCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(
            name = "proxies",
            description =
                    "Lists the proxies with the state of each, and what they refused and why; for ten minutes also those that"
                            + " the server refused, and why."
                            + " Without --namespace it lists those of all namespaces that may be read.")
    int proxies(
            @Option(
                            names = "--state",
                            paramLabel = "STATE",
                            description =
                                    "current, waiting (not acknowledged for 60 s), refusing or starting; of those without a"
                                            + " stream: refused, denied or unauthenticated")
                    @Nullable
                    String state,
            @Option(
                            names = "--type",
                            paramLabel = "TYPE",
                            description = "the state is that of cds, eds, lds or rds (default: the worst of all)")
                    @Nullable
                    String type,
            @Option(names = "--node", paramLabel = "TEXT", description = "part of the node's id or cluster") @Nullable
                    String node,
            @Option(names = "--address", paramLabel = "TEXT", description = "how the address begins") @Nullable
                    String address,
            @Option(
                            names = "--resource",
                            paramLabel = "NAME",
                            description = "those that have this resource of --type (default: eds)")
                    @Nullable
                    String resource,
            @Mixin Limit.OrAll limit) {
        oneOf("--state", state, STATES);
        oneOf("--type", type, TYPES);
        Map<String, String> asked = parameters(
                "namespaceId",
                cairn.namedNamespace(),
                "state",
                state,
                "type",
                type,
                "node",
                node,
                "address",
                address,
                "resource",
                resource);
        return cairn.list(
                MESH + "/proxies",
                asked,
                limit,
                Column.of("NODE", "nodeId"),
                Column.of("CLUSTER", "nodeCluster"),
                Column.of("ADDRESS", "address"),
                new Column("AGENT", MeshCommands::agent),
                Column.of("PROTOCOL", "protocol"),
                new Column("NAMESPACE", proxy -> namespace(Json.text(proxy, "namespaceId"))),
                Column.of("STATE", "state"),
                Column.at("CONNECTED", "connectedAt"),
                new Column("WHY", MeshCommands::why));
    }

    /** MOSN does not identify itself. */
    private static String agent(@Nullable Object proxy) {
        String agent = Json.text(proxy, "agent");
        return agent.isEmpty() ? Json.text(proxy, "flavour") : agent;
    }

    private static String namespace(String id) {
        return id.isEmpty() ? "public" : id;
    }

    /** The server's reason of the refusal; else the outdated types, and the proxy's error. */
    private static String why(@Nullable Object proxy) {
        String refusal = Json.text(proxy, "reason");
        if (!refusal.isEmpty()) {
            return Api.oneLine(refusal);
        }
        List<String> reasons = new ArrayList<>();
        for (Object type : Json.items(Json.fields(proxy).get("types"))) {
            String state = Json.text(type, "state");
            if (!state.equals("current")) {
                String error = Json.text(type, "error");
                reasons.add(Json.text(type, "type") + ' ' + state + " since " + Printer.time(Json.text(type, "since"))
                        + (error.isEmpty() ? "" : ": " + Api.oneLine(error)));
            }
        }
        return String.join("; ", reasons);
    }

    @Command(name = "resource", description = "Prints a resource as a proxy gets it, in JSON.")
    int resource(
            @Parameters(index = "0", paramLabel = "TYPE", description = "cds, eds, lds or rds") String type,
            @Parameters(index = "1", paramLabel = "NAME", description = "such as orders, or group@@orders") String name,
            @Option(
                            names = "--proxy",
                            paramLabel = "NODE",
                            description = "the id of a node that is connected, as 'cairn mesh proxies' shows it")
                    @Nullable
                    String proxy,
            @Option(
                            names = "--flavour",
                            paramLabel = "KIND",
                            description = "without --proxy: envoy, grpc or mosn (default: envoy)")
                    @Nullable
                    String flavour) {
        oneOf("TYPE", type, TYPES);
        oneOf("--flavour", flavour, FLAVOURS);
        if (proxy != null && flavour != null) {
            throw usage("--flavour: not with --proxy, which is of a flavour already");
        }
        Map<String, String> asked = parameters("type", type, "name", name);
        asked.putAll(proxy == null ? parameters("namespaceId", cairn.namespace(), "flavour", flavour) : byProxy(proxy));
        Object resource = cairn.api()
                .find(MESH + "/resource", asked)
                .orElseThrow(
                        () -> Cairn.none(type + " resource " + name + (proxy == null ? "" : " for proxy " + proxy)));
        if (cairn.printer().isJson()) {
            cairn.printer().json(resource);
            return 0;
        }
        Object json = Json.fields(resource).get("json");
        if (json == null) {
            throw new Failure("the server cannot show resources as JSON, because its module for Envoy resources is not"
                    + " installed (--json prints the bytes in Base64)");
        }
        cairn.printer().line(Json.indented(json));
        cairn.notice(name + " is " + source(Json.text(resource, "source")) + ", version "
                + Json.text(resource, "version") + ", " + Json.text(resource, "bytes") + " bytes");
        return 0;
    }

    private static String source(String source) {
        return source.equals("stored") ? "a configuration of group CAIRN_XDS" : "made from the registry";
    }

    @Command(
            name = "config",
            description =
                    "Lists the resources of a kind that a proxy has, also of one that takes all, with source, version"
                            + " and bytes.")
    int config(
            @Parameters(index = "0", paramLabel = "KIND", description = "clusters, listeners, routes or endpoints")
                    String kind,
            @Parameters(
                            index = "1",
                            paramLabel = "PROXY",
                            description = "the id of a node that is connected, as 'cairn mesh proxies' shows it")
                    String proxy,
            @Mixin Limit.OrAll limit) {
        oneOf("KIND", kind, KINDS);
        Map<String, String> asked = byProxy(proxy);
        asked.put("type", TYPES.get(KINDS.indexOf(kind)));
        return cairn.list(
                MESH + "/config",
                asked,
                limit,
                Column.of("NAME", "name"),
                Column.of("SOURCE", "source"),
                Column.of("VERSION", "version"),
                Column.of("BYTES", "bytes"));
    }

    /** The server knows streams by its own ids; users know nodes. */
    private Map<String, String> byProxy(String node) {
        List<Object> found = new ArrayList<>();
        cairn.api()
                .pages(
                        MESH + "/proxies",
                        parameters("namespaceId", cairn.namedNamespace(), "node", node),
                        Integer.MAX_VALUE,
                        proxy -> {
                            if (Json.text(proxy, "nodeId").equals(node)
                                    && Json.text(proxy, "reason").isEmpty()) {
                                found.add(proxy);
                            }
                        });
        if (found.isEmpty()) {
            throw new Failure(
                    "no proxy with the node id " + node + " is connected ('cairn mesh proxies' lists those that are)");
        }
        Object proxy = found.get(0);
        return parameters("proxy", Json.text(proxy, "id"), "namespaceId", Json.text(proxy, "namespaceId"));
    }

    @Command(
            name = "check",
            description =
                    "Checks a listener, route or cluster as a publish to the group CAIRN_XDS does; nothing is stored."
                            + " Exit status 1 where it has problems.")
    int check(
            @Parameters(
                            index = "0",
                            paramLabel = "DATA_ID",
                            description = "listener.<name>, route.<name> or cluster.<name>")
                    String dataId,
            @Option(
                            names = {"-f", "--file"},
                            paramLabel = "FILE",
                            defaultValue = "-",
                            description = "YAML or JSON (default: standard input)")
                    String file) {
        String content = cairn.text(file);
        if (content.isBlank()) {
            throw new Failure((file.equals("-") ? "standard input" : file) + " is empty (expected: a resource)");
        }
        Object checked = cairn.api()
                .post(
                        MESH + "/check",
                        parameters("dataId", dataId, "content", content, "namespaceId", cairn.namespace()));
        boolean valid = Boolean.TRUE.equals(Json.fields(checked).get("valid"));
        if (cairn.printer().isJson()) {
            cairn.printer().json(checked);
            return valid ? 0 : 1;
        }
        String shown = file.equals("-") ? "line " : file + ':';
        for (Object problem : Json.items(Json.fields(checked).get("problems"))) {
            cairn.printer().line(shown + place(problem));
        }
        for (Object warning : Json.items(Json.fields(checked).get("warnings"))) {
            cairn.printer().line(shown + place(warning) + " (warning)");
        }
        for (Object cluster : Json.items(Json.fields(checked).get("clusters"))) {
            if (!Boolean.TRUE.equals(Json.fields(cluster).get("exists"))) {
                cairn.printer()
                        .line(
                                "names cluster " + Json.text(cluster, "name")
                                        + ", which does not exist: Envoy answers its requests with 503 until it does (warning)");
            }
        }
        for (Object route : Json.items(Json.fields(checked).get("routes"))) {
            if (!Boolean.TRUE.equals(Json.fields(route).get("exists"))) {
                cairn.printer()
                        .line(
                                "names route " + Json.text(route, "name")
                                        + ", which does not exist: Envoy answers all requests with 404 until it does (warning)");
            }
        }
        if (valid) {
            cairn.printer()
                    .line(dataId + " is a valid "
                            + Json.text(checked, "typeUrl").replaceAll(".*\\.", ""));
        }
        return valid ? 0 : 1;
    }

    /** As compilers write it: {@code line:column: path: message}. */
    private static String place(@Nullable Object problem) {
        String path = Json.text(problem, "path");
        return Json.text(problem, "line") + ':' + Json.text(problem, "column") + ": "
                + (path.isEmpty() ? "" : path + ": ") + Json.text(problem, "message");
    }

    @Command(
            name = "bootstrap",
            description =
                    "Prints a bootstrap with which a proxy or a gRPC client connects to the server. Asks no server.")
    int bootstrap(
            @Parameters(
                            paramLabel = "KIND",
                            description = "envoy, grpc or mosn; envoy-token: the file by which Envoy finds its token,"
                                    + " with --proxy-token-path")
                    String kind,
            @Mixin MeshBootstrap bootstrap) {
        oneOf("KIND", kind, BOOTSTRAPS);
        cairn.printer().raw(bootstrap.text(kind, cairn, this));
        return 0;
    }

    private void oneOf(String option, @Nullable String given, List<String> expected) {
        if (given != null && !expected.contains(given)) {
            throw usage(option + ": '" + given + "' (expected: " + String.join(", ", expected) + ')');
        }
    }
}
