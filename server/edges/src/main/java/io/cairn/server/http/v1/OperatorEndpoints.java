package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClientOwnership;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.naming.Switches;
import io.cairn.server.push.PushMeters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** {@code /v1/ns/operator}, also known as {@code ops}: what operators look at and switch. */
public final class OperatorEndpoints {

    private final Switches switches;
    private final StoredNaming stored;
    private final RegistryMetrics metrics;
    private final PushMeters pushes;
    private final ClientOwnership ownership;
    private final LogLevels logLevels;
    private final Supplier<Address> self;
    private final V1NamingErrors errors;
    private volatile PushCounts counted = new PushCounts(0, 0);

    /** Where this server is reached. */
    public record Address(String ip, int port) {}

    /** Sets how much a part of the server logs. */
    @FunctionalInterface
    public interface LogLevels {
        void set(String logger, String level);
    }

    private record PushCounts(long total, long failed) {}

    /** @param pushes of services */
    public OperatorEndpoints(
            Switches switches,
            StoredNaming stored,
            RegistryMetrics metrics,
            PushMeters pushes,
            ClientOwnership ownership,
            LogLevels logLevels,
            Supplier<Address> self,
            V1NamingErrors errors) {
        this.switches = switches;
        this.stored = stored;
        this.metrics = metrics;
        this.pushes = pushes;
        this.ownership = ownership;
        this.logLevels = logLevels;
        this.self = self;
        this.errors = errors;
    }

    /** The routes that are served in every state of the server; without them, none could be left. */
    public List<HttpRoute> alwaysServed() {
        List<HttpRoute> routes = new ArrayList<>();
        for (String base : new String[] {"/v1/ns/operator", "/v1/ns/ops"}) {
            routes.add(HttpRoute.get(base + "/switches", errors, request -> InstanceEndpoints.json(switches.toJson())));
            routes.add(HttpRoute.put(base + "/switches", errors.ofDeclared(), this::change));
        }
        return routes;
    }

    public List<HttpRoute> routes() {
        List<HttpRoute> routes = new ArrayList<>();
        for (String base : new String[] {"/v1/ns/operator", "/v1/ns/ops"}) {
            routes.add(HttpRoute.get(base + "/metrics", errors, this::metrics));
            routes.add(HttpRoute.get(base + "/push/state", errors, this::pushState));
            routes.add(HttpRoute.get(base + "/distro/client", errors.ofDeclared(), this::owner));
            routes.add(HttpRoute.get(base + "/servers", errors, this::servers));
            routes.add(HttpRoute.put(base + "/log", errors.ofDeclared(), this::setLogLevel));
        }
        return routes;
    }

    private CompletionStage<HttpResponse> metrics(HttpRequest request) {
        return InstanceEndpoints.json(metrics.toJson(NamingParameters.flag(request, "onlyStatus", true)));
    }

    private CompletionStage<HttpResponse> change(HttpRequest request) {
        String entry = NamingParameters.required(request, "entry");
        String value = request.parameter("value");
        if (value == null) {
            NamingParameters.required(request, "value");
        }
        return InstanceEndpoints.ok(stored.change(
                RequestCaller.of(request),
                entry,
                value == null ? "" : value,
                NamingParameters.flag(request, "debug", false)));
    }

    private CompletionStage<HttpResponse> pushState(HttpRequest request) {
        boolean reset = NamingParameters.flag(request, "reset", false);
        PushCounts since = counted;
        PushCounts now = new PushCounts(pushes.sentCount(), pushes.failedCount());
        if (reset) {
            counted = now;
        }
        long total = now.total - since.total;
        long succeeded = Math.max(0, total - (now.failed - since.failed));
        return InstanceEndpoints.json(new JsonOutput(96)
                .number("succeed", succeeded)
                .number("total", total)
                .decimal("ratio", total == 0 ? 0 : (double) succeeded / total)
                .flag("reset", reset)
                .toBytes());
    }

    private CompletionStage<HttpResponse> owner(HttpRequest request) {
        String clientId =
                NamingParameters.required(request, "ip") + ':' + NamingParameters.required(request, "port") + "#true";
        Address here = self.get();
        String owner = ownership.isOwn(clientId) ? here.ip() + ':' + here.port() : ownership.ownerOf(clientId);
        return InstanceEndpoints.json(
                new JsonOutput(64).text("responsibleServer", owner).toBytes());
    }

    /** As 1.4 has it: scripts of that time ask for it still. */
    private CompletionStage<HttpResponse> servers(HttpRequest request) {
        return InstanceEndpoints.json(new JsonOutput(192)
                .objects("servers", List.of(self.get()), (server, out) -> out.text("ip", server.ip())
                        .number("port", server.port())
                        .text("state", metrics.status())
                        .json("extendInfo", "{}")
                        .text("address", server.ip() + ':' + server.port())
                        .number("failAccessCnt", 0))
                .toBytes());
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        String name = NamingParameters.required(request, "logName");
        String level = NamingParameters.required(request, "logLevel");
        try {
            logLevels.set(name, level);
        } catch (IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "logLevel: '" + level + "' (expected: one of TRACE, DEBUG, INFO, WARN, ERROR, OFF)",
                    e);
        }
        return InstanceEndpoints.OK;
    }
}
