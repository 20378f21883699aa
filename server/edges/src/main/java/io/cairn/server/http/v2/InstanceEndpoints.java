package io.cairn.server.http.v2;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.InstanceSelection;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v2/ns/instance} and {@code /v2/ns/catalog}: register, keep alive, find and change instances. */
final class InstanceEndpoints {

    private static final String PATH = "/v2/ns/instance";
    private static final String STATUSES = PATH + "/statuses/";

    private static final CompletionStage<HttpResponse> PLAIN_OK =
            CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "ok"));

    private final NamingService naming;
    private final InstanceActions actions;
    private final ServiceActions services;
    private final HttpEndpoint beat;
    private final UdpSubscribers udp;

    InstanceEndpoints(
            NamingService naming,
            InstanceActions actions,
            ServiceActions services,
            HttpEndpoint beat,
            UdpSubscribers udp) {
        this.naming = naming;
        this.actions = actions;
        this.services = services;
        this.beat = beat;
        this.udp = udp;
    }

    List<HttpRoute> routes() {
        return List.of(
                HttpRoute.post(PATH, V2.ERRORS, this::register),
                HttpRoute.delete(PATH, V2.ERRORS, this::deregister),
                HttpRoute.put(PATH, V2.ERRORS, this::update),
                HttpRoute.patch(PATH, V2.SINGLE_PARAMETERS, this::patch),
                HttpRoute.get(PATH, V2.SINGLE_PARAMETERS, this::get),
                HttpRoute.get(PATH + "/list", V2.SINGLE_PARAMETERS, this::list),
                HttpRoute.put(PATH + "/metadata/batch", V2.ERRORS, this::addMetadata),
                HttpRoute.delete(PATH + "/metadata/batch", V2.ERRORS, this::removeMetadata),
                HttpRoute.put(PATH + "/beat", V2.SINGLE_PARAMETERS, beat),
                HttpRoute.get(STATUSES + "**", V2.ERRORS, this::statuses),
                HttpRoute.get("/v2/ns/catalog/instances", V2.SINGLE_PARAMETERS, this::catalog));
    }

    private CompletionStage<HttpResponse> register(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return V2.ok(actions.register(service, instance(request), RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> update(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return V2.ok(actions.update(service, instance(request), RequestCaller.of(request)));
    }

    private Instance instance(HttpRequest request) {
        return NamingParameters.instance(request, naming.switches().ephemeralByDefault());
    }

    private CompletionStage<HttpResponse> deregister(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        boolean ephemeral =
                NamingParameters.flag(request, "ephemeral", naming.switches().ephemeralByDefault());
        return V2.ok(
                actions.deregister(service, instance, ephemeral, RequestCaller.of(request), LossCause.DEREGISTERED));
    }

    private CompletionStage<HttpResponse> patch(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return actions.patch(
                        service,
                        NamingParameters.instanceKey(request),
                        NamingParameters.weight(request),
                        NamingParameters.flag(request, "enabled"),
                        null,
                        NamingParameters.changedMetadata(request),
                        RequestCaller.of(request))
                .thenCompose(done -> PLAIN_OK);
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        Instance found = actions.findShown(service, NamingParameters.instanceKey(request));
        String groupedName = NamingWire.groupedName(service);
        return V2.data(new JsonOutput(320)
                .text("serviceName", groupedName)
                .text("ip", found.key().ip())
                .number("port", found.key().port())
                .text("clusterName", found.key().cluster())
                .decimal("weight", found.weight())
                .flag("healthy", found.healthy())
                .text("instanceId", NamingWire.instanceId(found, groupedName))
                .texts("metadata", found.metadata())
                .toBytes());
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        String cluster = NamingParameters.cluster(request);
        int udpPort = NamingParameters.number(request, "port", 0);
        boolean healthyOnly = NamingParameters.flag(request, "healthyOnly", false);
        ServiceView view = udpPort > 0
                ? listAndListen(request, new Selection(service, cluster == null ? "" : cluster), healthyOnly, udpPort)
                : naming.view(service, cluster, healthyOnly);
        return NamingParameters.seenBy(request, "ip", view)
                .answer(ServiceView.Form.HTTP_V2_LIST, InstanceEndpoints::info);
    }

    private ServiceView listAndListen(HttpRequest request, Selection selection, boolean healthyOnly, int udpPort) {
        String ip = NamingParameters.given(request, "ip");
        String app = NamingParameters.given(request, "app");
        String agent = request.header("User-Agent");
        return udp.list(
                selection,
                healthyOnly,
                ip == null ? request.claimedIp() : ip,
                udpPort,
                agent != null ? agent : request.header("Client-Version"),
                app == null ? "unknown" : app,
                RequestCaller.of(request));
    }

    private static CompletionStage<HttpResponse> info(ServiceView view) {
        return V2.data(view.info(view.groupedName()));
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
        return names.thenCompose(updated -> V2.data(new JsonOutput(64 + updated.size() * 48)
                .textList("updated", updated)
                .toBytes()));
    }

    /** The path ends in {@code group@@service} or {@code namespace##group@@service}. */
    private CompletionStage<HttpResponse> statuses(HttpRequest request) {
        String key = NamingParameters.decoded(
                request.path().substring(request.path().indexOf(STATUSES) + STATUSES.length()));
        ServiceKey service = NamingParameters.statusKey(key);
        return CompletableFuture.completedFuture(V2.ENVELOPE.plain(200, NamingJson.statuses(naming, service)));
    }

    private CompletionStage<HttpResponse> catalog(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        Page page = NamingParameters.requiredPage(request);
        String cluster = NamingParameters.cluster(request);
        boolean healthyOnly = NamingParameters.flag(request, "healthyOnly", false);
        boolean enabledOnly = NamingParameters.flag(request, "enabledOnly", false);
        List<Instance> chosen = new ArrayList<>();
        for (Instance instance : services.getOfCatalog(service).instances()) {
            if ((cluster == null || cluster.equals(instance.key().cluster()))
                    && (!healthyOnly || instance.healthy())
                    && (!enabledOnly || instance.enabled())) {
                chosen.add(instance);
            }
        }
        byte[] shown = NamingJson.instances(page.of(chosen), service);
        return V2.data(new JsonOutput(shown.length + 64)
                .json("instances", shown)
                .number("count", chosen.size())
                .toBytes());
    }
}
