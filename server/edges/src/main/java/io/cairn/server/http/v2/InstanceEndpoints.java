package io.cairn.server.http.v2;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
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

    private static final CompletionStage<HttpAnswer> PLAIN_OK =
            CompletableFuture.completedFuture(HttpAnswer.ok(HttpAnswer.TEXT, "ok"));

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

    private CompletionStage<HttpAnswer> register(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return V2.ok(actions.register(service, instance(call), RequestCaller.of(call)));
    }

    private CompletionStage<HttpAnswer> update(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return V2.ok(actions.update(service, instance(call), RequestCaller.of(call)));
    }

    private Instance instance(HttpCall call) {
        return NamingParameters.instance(call, naming.switches().ephemeralByDefault());
    }

    private CompletionStage<HttpAnswer> deregister(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        InstanceKey instance = NamingParameters.instanceKey(call);
        boolean ephemeral =
                NamingParameters.flag(call, "ephemeral", naming.switches().ephemeralByDefault());
        return V2.ok(actions.deregister(service, instance, ephemeral, RequestCaller.of(call), LossCause.DEREGISTERED));
    }

    private CompletionStage<HttpAnswer> patch(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return actions.patch(
                        service,
                        NamingParameters.instanceKey(call),
                        NamingParameters.weight(call),
                        NamingParameters.flag(call, "enabled"),
                        null,
                        NamingParameters.changedMetadata(call),
                        RequestCaller.of(call))
                .thenCompose(done -> PLAIN_OK);
    }

    private CompletionStage<HttpAnswer> get(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        Instance found = actions.findShown(service, NamingParameters.instanceKey(call));
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

    private CompletionStage<HttpAnswer> list(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        String cluster = NamingParameters.cluster(call);
        int udpPort = NamingParameters.number(call, "port", 0);
        boolean healthyOnly = NamingParameters.flag(call, "healthyOnly", false);
        ServiceView view = udpPort > 0
                ? listAndListen(call, new Selection(service, cluster == null ? "" : cluster), healthyOnly, udpPort)
                : naming.view(service, cluster, healthyOnly);
        return NamingParameters.seenBy(call, "ip", view).answer(ServiceView.Form.HTTP_V2_LIST, InstanceEndpoints::info);
    }

    private ServiceView listAndListen(HttpCall call, Selection selection, boolean healthyOnly, int udpPort) {
        String ip = NamingParameters.given(call, "ip");
        String app = NamingParameters.given(call, "app");
        String agent = call.header("User-Agent");
        return udp.list(
                selection,
                healthyOnly,
                ip == null ? call.claimedIp() : ip,
                udpPort,
                agent != null ? agent : call.header("Client-Version"),
                app == null ? "unknown" : app,
                RequestCaller.of(call));
    }

    private static CompletionStage<HttpAnswer> info(ServiceView view) {
        return V2.data(view.info(view.groupedName()));
    }

    private CompletionStage<HttpAnswer> addMetadata(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        NamingParameters.required(call, "metadata");
        Map<String, String> metadata = NamingParameters.metadata(call);
        return updated(actions.addMetadata(service, InstanceSelection.read(call), metadata, RequestCaller.of(call)));
    }

    private CompletionStage<HttpAnswer> removeMetadata(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        NamingParameters.required(call, "metadata");
        Map<String, String> metadata = NamingParameters.metadata(call);
        return updated(actions.removeMetadata(
                service, InstanceSelection.read(call), metadata.keySet(), RequestCaller.of(call)));
    }

    private static CompletionStage<HttpAnswer> updated(CompletionStage<List<String>> names) {
        return names.thenCompose(updated -> V2.data(new JsonOutput(64 + updated.size() * 48)
                .textList("updated", updated)
                .toBytes()));
    }

    /** The path ends in {@code group@@service} or {@code namespace##group@@service}. */
    private CompletionStage<HttpAnswer> statuses(HttpCall call) {
        String key = NamingParameters.decoded(call.path().substring(call.path().indexOf(STATUSES) + STATUSES.length()));
        ServiceKey service = NamingParameters.statusKey(key);
        return CompletableFuture.completedFuture(V2.ENVELOPE.plain(200, NamingJson.statuses(naming, service)));
    }

    private CompletionStage<HttpAnswer> catalog(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        Page page = NamingParameters.requiredPage(call);
        String cluster = NamingParameters.cluster(call);
        boolean healthyOnly = NamingParameters.flag(call, "healthyOnly", false);
        boolean enabledOnly = NamingParameters.flag(call, "enabledOnly", false);
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
