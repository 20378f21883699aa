package io.cairn.server.http.v2;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
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

    private CompletionStage<HttpAnswer> create(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return V2.ok(actions.create(service, call, NamingParameters.flag(call, "ephemeral", false)));
    }

    private CompletionStage<HttpAnswer> update(HttpCall call) {
        return V2.ok(actions.update(NamingParameters.service(call), call));
    }

    private CompletionStage<HttpAnswer> remove(HttpCall call) {
        return V2.ok(actions.remove(NamingParameters.service(call), RequestCaller.of(call)));
    }

    private CompletionStage<HttpAnswer> get(HttpCall call) {
        ServiceSnapshot service = actions.get(NamingParameters.service(call));
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

    private CompletionStage<HttpAnswer> list(HttpCall call) {
        Namespace namespace = NamingParameters.namespace(call);
        ServiceActions.Listed<String> names = actions.names(
                namespace,
                NamingParameters.group(call),
                RequestCaller.readableServices(call, namespace),
                NamingParameters.page(call, PAGE_SIZE));
        return V2.data(new JsonOutput(1024)
                .number("count", names.total())
                .textList("services", names.shown())
                .toBytes());
    }
}
