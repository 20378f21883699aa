package io.cairn.server.http.v1;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
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
    private static final HttpAnswer OK_ANSWER = HttpAnswer.ok(HttpAnswer.TEXT, "ok");
    static final CompletionStage<HttpAnswer> OK = CompletableFuture.completedFuture(OK_ANSWER);

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

    private CompletionStage<HttpAnswer> register(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return ok(actions.register(service, instance(call), RequestCaller.of(call)));
    }

    private CompletionStage<HttpAnswer> deregister(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        InstanceKey instance = NamingParameters.instanceKey(call);
        boolean ephemeral =
                NamingParameters.flag(call, "ephemeral", naming.switches().ephemeralByDefault());
        return ok(actions.deregister(service, instance, ephemeral, RequestCaller.of(call), LossCause.DEREGISTERED));
    }

    private CompletionStage<HttpAnswer> update(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return ok(actions.update(service, instance(call), RequestCaller.of(call)));
    }

    private Instance instance(HttpCall call) {
        return NamingParameters.instance(call, naming.switches().ephemeralByDefault());
    }

    private CompletionStage<HttpAnswer> patch(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        InstanceKey instance = NamingParameters.instanceKey(call);
        return ok(actions.patch(
                service,
                instance,
                NamingParameters.weight(call),
                NamingParameters.flag(call, "enabled"),
                NamingParameters.flag(call, "healthy"),
                NamingParameters.changedMetadata(call),
                RequestCaller.of(call)));
    }

    private CompletionStage<HttpAnswer> get(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        // Here, other than everywhere else, "cluster" does not count.
        String cluster = NamingParameters.given(call, "clusterName");
        InstanceKey named = NamingParameters.instanceKey(call);
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

    private CompletionStage<HttpAnswer> list(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        String clusters = NamingParameters.given(call, "clusters");
        NamingCheck.clusters(clusters);
        boolean healthyOnly = NamingParameters.flag(call, "healthyOnly", false);
        int udpPort = NamingParameters.number(call, "udpPort", 0);
        ServiceView view = udpPort > 0
                ? listAndListen(call, new Selection(service, clusters == null ? "" : clusters), healthyOnly, udpPort)
                : naming.view(service, clusters, healthyOnly);
        return NamingParameters.seenBy(call, "clientIP", view)
                .answer(ServiceView.Form.HTTP_V1_LIST, InstanceEndpoints::listed);
    }

    private ServiceView listAndListen(HttpCall call, Selection selection, boolean healthyOnly, int udpPort) {
        String ip = NamingParameters.given(call, "clientIP");
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

    /** Kept with the view, whole, so that a list that is asked for again costs nothing. */
    private static CompletionStage<HttpAnswer> listed(ServiceView view) {
        return json(view.info(view.groupedName()));
    }

    private CompletionStage<HttpAnswer> addMetadata(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return updated(actions.addMetadata(
                service, InstanceSelection.read(call), requiredMetadata(call), RequestCaller.of(call)));
    }

    private CompletionStage<HttpAnswer> removeMetadata(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        return updated(actions.removeMetadata(
                service, InstanceSelection.read(call), requiredMetadata(call).keySet(), RequestCaller.of(call)));
    }

    private static Map<String, String> requiredMetadata(HttpCall call) {
        NamingParameters.required(call, "metadata");
        return NamingParameters.metadata(call);
    }

    private static CompletionStage<HttpAnswer> updated(CompletionStage<List<String>> names) {
        return names.thenCompose(
                all -> json(new JsonOutput(128).textList("updated", all).toBytes()));
    }

    private CompletionStage<HttpAnswer> statuses(HttpCall call) {
        String key = NamingParameters.required(call, "key");
        return json(NamingJson.statuses(naming, NamingParameters.statusKey(key)));
    }

    static CompletionStage<HttpAnswer> json(byte[] body) {
        return CompletableFuture.completedFuture(
                HttpAnswer.status(200).contentType(HttpAnswer.JSON).body(body));
    }

    static CompletionStage<HttpAnswer> ok(CompletionStage<Void> done) {
        return done instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? OK
                : done.thenApply(nothing -> OK_ANSWER);
    }
}
