package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.Namespace;
import io.cairn.cli.BridgeServer.Dialect;
import io.cairn.cli.migrate.Decision;
import io.cairn.cli.migrate.Decision.Outcome;
import io.cairn.cli.migrate.Report;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates the namespaces of the source at the target. */
final class MigratedNamespaces {

    private final BridgeServer source;
    private final BridgeServer target;
    private final Report report;
    private final boolean dryRun;

    MigratedNamespaces(BridgeServer source, BridgeServer target, Report report, boolean dryRun) {
        this.source = source;
        this.target = target;
        this.report = report;
        this.dryRun = dryRun;
    }

    List<Namespace> carry(List<String> named) {
        Map<Namespace, Object> atSource = list(source);
        Map<Namespace, Object> atTarget = list(target);
        if (named.isEmpty() && atSource.isEmpty()) {
            throw new Failure(source.address() + " does not list its namespaces (name them by --namespaces)");
        }
        List<Namespace> carried = named.isEmpty() ? new ArrayList<>(atSource.keySet()) : of(named);
        for (Namespace namespace : carried) {
            Object described = atSource.get(namespace);
            if (described == null && !atSource.isEmpty()) {
                throw new Failure("there is no namespace '" + namespace + "' at " + source.address());
            }
            if (!namespace.isDefault() && !atTarget.containsKey(namespace)) {
                create(namespace, described);
            }
        }
        return carried;
    }

    static List<Namespace> of(List<String> named) {
        return named.stream().map(Namespace::ofNullable).distinct().toList();
    }

    private void create(Namespace namespace, @Nullable Object described) {
        if (!dryRun) {
            String name = Json.text(described, "namespaceShowName");
            String id = namespace.id();
            boolean v3 = target.dialect() == Dialect.V3;
            target.post(
                    v3 ? "/v3/admin/core/namespace" : "/v1/console/namespaces",
                    parameters(
                            v3 ? "namespaceId" : "customNamespaceId",
                            id,
                            "namespaceName",
                            name.isEmpty() ? id : name,
                            "namespaceDesc",
                            Json.text(described, "namespaceDesc")));
        }
        report.add(new Decision(Outcome.CREATED, "namespace " + namespace, "at the target, new at the source"));
    }

    /** By their ids; empty if the server has no such list, as a Nacos without its console. */
    private static Map<Namespace, Object> list(BridgeServer server) {
        String path = server.dialect() == Dialect.V3 ? "/v3/admin/core/namespace/list" : "/v1/console/namespaces";
        HttpResponse<String> response =
                server.send(asked -> asked.request(path, Map.of()).GET());
        Map<Namespace, Object> found = new LinkedHashMap<>();
        if (response.statusCode() == 404) {
            return found;
        }
        for (Object namespace : Json.items(server.data(response))) {
            found.put(Namespace.ofNullable(Json.text(namespace, "namespace")), namespace);
        }
        return found;
    }
}
