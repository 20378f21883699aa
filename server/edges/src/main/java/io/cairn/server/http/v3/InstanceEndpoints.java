package io.cairn.server.http.v3;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.InstanceSelection;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.naming.ServiceView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Instances: for the clients that publish and find them, for administration, for consoles. */
final class InstanceEndpoints {

    private static final String CLIENT = "/v3/client/ns/instance";
    private static final String ADMIN = "/v3/admin/ns/instance";
    private static final String CONSOLE = "/v3/console/ns/instance";

    /** By this a client learns that it has to register. */
    private static final CompletionStage<HttpResponse> UNKNOWN =
            CompletableFuture.completedFuture(V3.ENVELOPE.failure(200, DetailCode.INSTANCE_NOT_FOUND, null));

    private final NamingService naming;
    private final InstanceActions actions;
    private final EnvelopeErrors errors;

    InstanceEndpoints(NamingService naming, InstanceActions actions, ContainerErrors container) {
        this.naming = naming;
        this.actions = actions;
        this.errors = V3.errors(container);
    }

    List<HttpRoute> clientRoutes() {
        return List.of(
                HttpRoute.post(CLIENT, errors, this::registerOrBeat),
                HttpRoute.delete(CLIENT, errors, request -> deregister(request, LossCause.DEREGISTERED)),
                HttpRoute.get(CLIENT + "/list", errors, this::find));
    }

    List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.post(ADMIN, errors, this::register),
                HttpRoute.put(ADMIN, errors, this::update),
                HttpRoute.delete(ADMIN, errors, request -> deregister(request, LossCause.REMOVED)),
                HttpRoute.get(ADMIN, errors, this::get),
                HttpRoute.put(ADMIN + "/partial", errors, this::patch),
                HttpRoute.get(ADMIN + "/list", errors, this::list),
                HttpRoute.put(ADMIN + "/metadata/batch", errors, this::addMetadata),
                HttpRoute.delete(ADMIN + "/metadata/batch", errors, this::removeMetadata));
    }

    List<HttpRoute> consoleRoutes() {
        return List.of(
                HttpRoute.put(CONSOLE, errors, this::update), HttpRoute.get(CONSOLE + "/list", errors, this::page));
    }

    private CompletionStage<HttpResponse> registerOrBeat(HttpRequest request) {
        if (!NamingParameters.flag(request, "heartBeat", false)) {
            return register(request);
        }
        ServiceKey service = NamingParameters.service(request);
        return actions.beat(service, NamingParameters.instanceKey(request), null, RequestCaller.of(request))
                .thenCompose(beat -> beat.known() ? V3.OK : UNKNOWN);
    }

    private CompletionStage<HttpResponse> register(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return V3.ok(actions.register(service, instance(request), RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> update(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return V3.ok(actions.update(service, instance(request), RequestCaller.of(request)));
    }

    private Instance instance(HttpRequest request) {
        return NamingParameters.instance(request, naming.switches().ephemeralByDefault());
    }

    private CompletionStage<HttpResponse> deregister(HttpRequest request, LossCause cause) {
        ServiceKey service = NamingParameters.service(request);
        boolean ephemeral =
                NamingParameters.flag(request, "ephemeral", naming.switches().ephemeralByDefault());
        return V3.ok(actions.deregister(
                service, NamingParameters.instanceKey(request), ephemeral, RequestCaller.of(request), cause));
    }

    private CompletionStage<HttpResponse> patch(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return V3.ok(actions.patch(
                service,
                NamingParameters.instanceKey(request),
                NamingParameters.weight(request),
                NamingParameters.flag(request, "enabled"),
                null,
                NamingParameters.changedMetadata(request),
                RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> addMetadata(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        NamingParameters.required(request, "metadata");
        Map<String, String> metadata = NamingParameters.metadata(request);
        return updated(
                actions.addMetadata(service, InstanceSelection.read(request), metadata, RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> removeMetadata(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        NamingParameters.required(request, "metadata");
        Map<String, String> metadata = NamingParameters.metadata(request);
        return updated(actions.removeMetadata(
                service, InstanceSelection.read(request), metadata.keySet(), RequestCaller.of(request)));
    }

    private static CompletionStage<HttpResponse> updated(CompletionStage<List<String>> names) {
        return names.thenCompose(updated -> V3.data(new JsonOutput(64 + updated.size() * 48)
                .textList("updated", updated)
                .toBytes()));
    }

    /** What consumers are to use. Other than in the older versions, protection comes before the choice of healthy ones. */
    private CompletionStage<HttpResponse> find(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        String cluster = NamingParameters.cluster(request);
        ServiceView all = NamingParameters.seenBy(request, null, naming.view(service, cluster, false));
        ServiceView view = NamingParameters.flag(request, "healthyOnly", false) && !all.isProtected()
                ? NamingParameters.seenBy(request, null, naming.view(service, cluster, true))
                : all;
        return view.answer(ServiceView.Form.HTTP_V3_LIST, InstanceEndpoints::hosts);
    }

    private static CompletionStage<HttpResponse> hosts(ServiceView view) {
        return V3.data(view.hostsJson());
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        Instance found = actions.findShown(service, NamingParameters.instanceKey(request));
        return V3.data(NamingJson.instance(
                found,
                NamingWire.groupedName(service),
                actions.health(naming.snapshot(service)).apply(found.key())));
    }

    /** All there are, disabled ones included: who is to enable one must see it. */
    private CompletionStage<HttpResponse> list(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        ServiceSnapshot snapshot = naming.find(service);
        return snapshot == null
                ? CompletableFuture.completedFuture(noSuch(service, DetailCode.SERVER_ERROR))
                : V3.data(NamingJson.instances(chosen(request, snapshot), service, actions.health(snapshot)));
    }

    private CompletionStage<HttpResponse> page(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        Page page = NamingParameters.positivePage(request, V3.PAGE_SIZE);
        ServiceSnapshot snapshot = naming.find(service);
        if (snapshot == null) {
            return CompletableFuture.completedFuture(noSuch(service, DetailCode.SERVICE_NOT_FOUND));
        }
        List<Instance> chosen = chosen(request, snapshot);
        return V3.page(page, chosen.size(), NamingJson.instances(page.of(chosen), service, actions.health(snapshot)));
    }

    private static HttpResponse noSuch(ServiceKey service, DetailCode code) {
        return V3.ENVELOPE.failure(404, code, "service " + NamingWire.groupedName(service) + " is not found!");
    }

    private static List<Instance> chosen(HttpRequest request, ServiceSnapshot snapshot) {
        String clusters = NamingParameters.cluster(request);
        List<String> wanted = clusters == null ? List.of() : Arrays.asList(clusters.split(",", -1));
        boolean healthyOnly = NamingParameters.flag(request, "healthyOnly", false);
        List<Instance> chosen = new ArrayList<>();
        for (Instance instance : snapshot.instances()) {
            if ((wanted.isEmpty() || wanted.contains(instance.key().cluster()))
                    && (!healthyOnly || instance.healthy())) {
                chosen.add(instance);
            }
        }
        return chosen;
    }
}
