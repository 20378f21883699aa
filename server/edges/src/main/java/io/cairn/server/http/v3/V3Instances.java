package io.cairn.server.http.v3;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.InstanceEndpoints;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.naming.ServiceView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Instances: for the clients that publish and find them, for administration, for consoles. */
final class V3Instances {

    private static final String CLIENT = "/v3/client/ns/instance";
    private static final String ADMIN = "/v3/admin/ns/instance";
    private static final String CONSOLE = "/v3/console/ns/instance";

    /** By this a client learns that it has to register. */
    private static final CompletionStage<HttpResponse> UNKNOWN =
            CompletableFuture.completedFuture(V3.ENVELOPE.failure(200, DetailCode.INSTANCE_NOT_FOUND, null));

    private final NamingService naming;
    private final InstanceActions actions;
    private final InstanceEndpoints shared;

    V3Instances(NamingService naming, InstanceActions actions) {
        this.naming = naming;
        this.actions = actions;
        this.shared = new InstanceEndpoints(actions, naming.switches(), NamingV3.WORDING);
    }

    List<HttpRoute> clientRoutes(Endpoints endpoints) {
        return List.of(
                endpoints.post(CLIENT, InstanceEndpoints.REGISTER_OR_BEAT, this::registerOrBeat),
                endpoints.delete(CLIENT, InstanceEndpoints.DEREGISTER, shared.deregister(LossCause.DEREGISTERED)),
                endpoints.get(CLIENT + "/list", InstanceEndpoints.LIST, this::find));
    }

    List<HttpRoute> adminRoutes(Endpoints endpoints) {
        return List.of(
                endpoints.post(ADMIN, InstanceEndpoints.REGISTER_BY_OPERATOR, shared::register),
                endpoints.put(ADMIN, InstanceEndpoints.UPDATE, shared::update),
                endpoints.delete(ADMIN, InstanceEndpoints.DEREGISTER_BY_OPERATOR, shared.deregister(LossCause.REMOVED)),
                endpoints.get(ADMIN, InstanceEndpoints.show(), this::get),
                endpoints.put(ADMIN + "/partial", InstanceEndpoints.PATCH, shared::patch),
                endpoints.get(ADMIN + "/list", InstanceEndpoints.LIST, this::list),
                endpoints.put(ADMIN + "/metadata/batch", InstanceEndpoints.ADD_METADATA, shared::addMetadata),
                endpoints.delete(ADMIN + "/metadata/batch", InstanceEndpoints.REMOVE_METADATA, shared::removeMetadata));
    }

    List<HttpRoute> consoleRoutes(Endpoints endpoints) {
        return List.of(
                endpoints.put(CONSOLE, InstanceEndpoints.UPDATE, shared::update),
                endpoints.get(CONSOLE + "/list", InstanceEndpoints.LIST, this::page));
    }

    private CompletionStage<HttpResponse> registerOrBeat(ServiceKey service, HttpRequest request) {
        if (!NamingParameters.flag(request, "heartBeat", false)) {
            return shared.register(service, request);
        }
        return actions.beat(service, NamingParameters.instanceKey(request), null, RequestCaller.of(request))
                .thenCompose(beat -> beat.known() ? V3.OK : UNKNOWN);
    }

    /** The instances for consumers. Other than in the older versions, protection comes before the choice of healthy ones. */
    private CompletionStage<HttpResponse> find(ServiceKey service, HttpRequest request) {
        String cluster = NamingParameters.cluster(request);
        ServiceView all = NamingParameters.seenBy(request, null, naming.view(service, cluster, false));
        ServiceView view = NamingParameters.flag(request, "healthyOnly", false) && !all.isProtected()
                ? NamingParameters.seenBy(request, null, naming.view(service, cluster, true))
                : all;
        return CompletableFuture.completedFuture(view.answer(ServiceView.Form.HTTP_V3_LIST, V3Instances::hosts));
    }

    private static HttpResponse hosts(ServiceView view) {
        return V3.response(view.hostsJson());
    }

    private CompletionStage<HttpResponse> get(ServiceKey service, HttpRequest request) {
        Instance found = actions.findShown(service, NamingParameters.instanceKey(request));
        return V3.data(NamingJson.instance(
                found,
                NamingWire.groupedName(service),
                actions.health(naming.snapshot(service)).apply(found.key())));
    }

    /** All instances, disabled ones included: an operator that is to enable one must see it. */
    private CompletionStage<HttpResponse> list(ServiceKey service, HttpRequest request) {
        ServiceSnapshot snapshot = naming.find(service);
        return snapshot == null
                ? CompletableFuture.completedFuture(noSuch(service, DetailCode.SERVER_ERROR))
                : V3.data(NamingJson.instances(chosen(request, snapshot), service, actions.health(snapshot)));
    }

    private CompletionStage<HttpResponse> page(ServiceKey service, HttpRequest request) {
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
