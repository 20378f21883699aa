package io.cairn.server.http.v1;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.BeatEndpoint;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.InstanceSelection;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingCheck;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/ns/instance}: register, list and change instances, and take their beats. */
public final class InstanceEndpoints {

    private static final String PATH = "/v1/ns/instance";
    private static final HttpResponse OK_ANSWER = HttpResponse.ok(HttpResponse.TEXT, "ok");
    static final CompletionStage<HttpResponse> OK = CompletableFuture.completedFuture(OK_ANSWER);

    private final NamingService naming;
    private final InstanceActions actions;
    private final UdpSubscribers udp;
    private final V1NamingErrors errors;

    public InstanceEndpoints(NamingService naming, InstanceActions actions, UdpSubscribers udp, V1NamingErrors errors) {
        this.naming = naming;
        this.actions = actions;
        this.udp = udp;
        this.errors = errors;
    }

    public List<HttpRoute> routes() {
        return List.of(
                HttpRoute.post(PATH, errors, this::register),
                HttpRoute.delete(PATH, errors, this::deregister),
                HttpRoute.put(PATH, errors, this::update),
                HttpRoute.patch(PATH, errors, this::patch),
                HttpRoute.get(PATH, errors, this::get),
                HttpRoute.get(PATH + "/list", errors, this::list),
                HttpRoute.put(PATH + "/beat", errors, new BeatEndpoint(actions, naming.switches())),
                HttpRoute.put(PATH + "/metadata/batch", errors, this::addMetadata),
                HttpRoute.delete(PATH + "/metadata/batch", errors, this::removeMetadata),
                HttpRoute.get(PATH + "/statuses", errors.ofDeclared(), this::statuses));
    }

    private CompletionStage<HttpResponse> register(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return ok(actions.register(service, instance(request), RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> deregister(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        boolean ephemeral =
                NamingParameters.flag(request, "ephemeral", naming.switches().ephemeralByDefault());
        return ok(actions.deregister(service, instance, ephemeral, RequestCaller.of(request), LossCause.DEREGISTERED));
    }

    private CompletionStage<HttpResponse> update(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return ok(actions.update(service, instance(request), RequestCaller.of(request)));
    }

    private Instance instance(HttpRequest request) {
        return NamingParameters.instance(request, naming.switches().ephemeralByDefault());
    }

    private CompletionStage<HttpResponse> patch(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        return ok(actions.patch(
                service,
                instance,
                NamingParameters.weight(request),
                NamingParameters.flag(request, "enabled"),
                NamingParameters.flag(request, "healthy"),
                NamingParameters.changedMetadata(request),
                RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        // Here, other than everywhere else, "cluster" does not count.
        String cluster = NamingParameters.given(request, "clusterName");
        InstanceKey named = NamingParameters.instanceKey(request);
        Instance found = actions.find(
                service,
                new InstanceKey(named.ip(), named.port(), cluster == null ? InstanceKey.DEFAULT_CLUSTER : cluster));
        String groupedName = NamingWire.groupedName(service);
        return json(new JsonOutput(256)
                .text("service", groupedName)
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
        String clusters = NamingParameters.given(request, "clusters");
        NamingCheck.clusters(clusters);
        boolean healthyOnly = NamingParameters.flag(request, "healthyOnly", false);
        int udpPort = NamingParameters.number(request, "udpPort", 0);
        ServiceView view = udpPort > 0
                ? listAndListen(request, new Selection(service, clusters == null ? "" : clusters), healthyOnly, udpPort)
                : naming.view(service, clusters, healthyOnly);
        return NamingParameters.seenBy(request, "clientIP", view)
                .answer(ServiceView.Form.HTTP_V1_LIST, InstanceEndpoints::listed);
    }

    private ServiceView listAndListen(HttpRequest request, Selection selection, boolean healthyOnly, int udpPort) {
        String ip = NamingParameters.given(request, "clientIP");
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

    /** Kept with the view, whole, so that a list that is asked for again costs nothing. */
    private static CompletionStage<HttpResponse> listed(ServiceView view) {
        return json(view.info(view.groupedName()));
    }

    private CompletionStage<HttpResponse> addMetadata(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return updated(actions.addMetadata(
                service, InstanceSelection.read(request), requiredMetadata(request), RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> removeMetadata(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return updated(actions.removeMetadata(
                service,
                InstanceSelection.read(request),
                requiredMetadata(request).keySet(),
                RequestCaller.of(request)));
    }

    private static Map<String, String> requiredMetadata(HttpRequest request) {
        NamingParameters.required(request, "metadata");
        return NamingParameters.metadata(request);
    }

    private static CompletionStage<HttpResponse> updated(CompletionStage<List<String>> names) {
        return names.thenCompose(
                all -> json(new JsonOutput(128).textList("updated", all).toBytes()));
    }

    private CompletionStage<HttpResponse> statuses(HttpRequest request) {
        String key = NamingParameters.required(request, "key");
        return json(NamingJson.statuses(naming, NamingParameters.statusKey(key)));
    }

    static CompletionStage<HttpResponse> json(byte[] body) {
        return CompletableFuture.completedFuture(
                HttpResponse.status(200).contentType(HttpResponse.JSON).body(body));
    }

    static CompletionStage<HttpResponse> ok(CompletionStage<Void> done) {
        return done instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? OK
                : done.thenApply(nothing -> OK_ANSWER);
    }
}
