package io.cairn.server.http.v2;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.ServiceSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/** {@code /v2/ns/service}: services and what is set for them. */
final class ServiceEndpoints {

    private static final String PATH = "/v2/ns/service";
    private static final int PAGE_SIZE = 20;

    private final ServiceActions actions;

    ServiceEndpoints(ServiceActions actions) {
        this.actions = actions;
    }

    List<HttpRoute> routes() {
        return List.of(
                HttpRoute.post(PATH, V2.ERRORS, this::create),
                HttpRoute.put(PATH, V2.ERRORS, this::update),
                HttpRoute.delete(PATH, V2.SINGLE_PARAMETERS, this::remove),
                HttpRoute.get(PATH, V2.SINGLE_PARAMETERS, this::get),
                HttpRoute.get(PATH + "/list", V2.SINGLE_PARAMETERS, this::list));
    }

    private CompletionStage<HttpResponse> create(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return V2.ok(actions.create(service, request, NamingParameters.flag(request, "ephemeral", false)));
    }

    private CompletionStage<HttpResponse> update(HttpRequest request) {
        return V2.ok(actions.update(NamingParameters.service(request), request));
    }

    private CompletionStage<HttpResponse> remove(HttpRequest request) {
        return V2.ok(actions.remove(NamingParameters.service(request), RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ServiceSnapshot service = actions.get(NamingParameters.service(request));
        ServiceSettings settings = service.settings();
        JsonOutput clusters = new JsonOutput(256);
        Set<String> names = new TreeSet<>(NamingJson.clusters(service));
        names.addAll(settings.clusters().keySet());
        for (String name : names) {
            clusters.json(
                    name,
                    new JsonOutput(128)
                            .text("clusterName", name)
                            .json(
                                    "healthChecker",
                                    settings.cluster(name).healthChecker().getBytes(StandardCharsets.UTF_8))
                            .texts("metadata", settings.cluster(name).metadata())
                            .json("hosts", "null")
                            .toBytes());
        }
        return V2.data(new JsonOutput(512)
                .text("namespace", service.service().namespace().id())
                .text("serviceName", service.service().name())
                .text("groupName", service.service().group())
                .json("clusterMap", clusters.toBytes())
                .texts("metadata", settings.metadata())
                .decimal("protectThreshold", settings.protectThreshold())
                .json("selector", NamingJson.selector(settings.selector()))
                .flag("ephemeral", service.isEphemeral())
                .toBytes());
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        Namespace namespace = NamingParameters.namespace(request);
        ServiceActions.Listed<String> names = actions.names(
                namespace,
                NamingParameters.group(request),
                RequestCaller.readableServices(request, namespace),
                NamingParameters.page(request, PAGE_SIZE));
        return V2.data(new JsonOutput(1024)
                .number("count", names.total())
                .textList("services", names.shown())
                .toBytes());
    }
}
