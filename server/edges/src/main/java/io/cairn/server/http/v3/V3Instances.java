package io.cairn.server.http.v3;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.naming.DrainActions;
import io.cairn.server.http.naming.DrainEndpoints;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.InstanceEndpoints;
import io.cairn.server.http.naming.InstanceSearch;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.subscription.HttpReaders;
import io.cairn.server.subscription.Selection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

final class V3Instances {

    private static final String CLIENT = "/v3/client/ns/instance";
    private static final String ADMIN = "/v3/admin/ns/instance";
    private static final String CONSOLE = "/v3/console/ns/instance";

    /** It makes a client register. */
    private static final CompletionStage<HttpResponse> UNKNOWN =
            CompletableFuture.completedFuture(V3.ENVELOPE.failure(200, DetailCode.INSTANCE_NOT_FOUND, null));

    private final RegistryView reads;
    private final InstanceActions actions;
    private final InstanceEndpoints shared;
    private final DrainEndpoints drains;
    private final HttpReaders readers;

    V3Instances(
            RegistryView reads, Switches switches, InstanceActions actions, DrainActions drains, HttpReaders readers) {
        this.reads = reads;
        this.readers = readers;
        this.actions = actions;
        this.drains = new DrainEndpoints(drains, NamingV3.WORDING);
        this.shared = new InstanceEndpoints(actions, switches, NamingV3.WORDING);
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
                endpoints.put(ADMIN + "/drain", DrainEndpoints.DRAIN, drains::drain),
                endpoints.get(ADMIN + "/drain", DrainEndpoints.PROGRESS, drains::progress),
                endpoints.delete(ADMIN + "/drain", DrainEndpoints.END, drains::end),
                endpoints.get(ADMIN + "/list", InstanceEndpoints.LIST, this::list),
                endpoints.put(ADMIN + "/metadata/batch", InstanceEndpoints.ADD_METADATA, shared::addMetadata),
                endpoints.delete(ADMIN + "/metadata/batch", InstanceEndpoints.REMOVE_METADATA, shared::removeMetadata));
    }

    List<HttpRoute> consoleRoutes(Endpoints endpoints) {
        return List.of(
                endpoints.put(CONSOLE, InstanceEndpoints.UPDATE, shared::update),
                endpoints.get(CONSOLE + "/list", InstanceEndpoints.LIST_PAGE, this::page));
    }

    private CompletionStage<HttpResponse> registerOrBeat(ServiceKey service, HttpRequest request) {
        if (!InstanceEndpoints.HEART_BEAT.of(request)) {
            return shared.register(service, request);
        }
        return actions.beat(service, NamingParameters.instanceKey(request), null, RequestCaller.of(request))
                .thenCompose(beat -> beat.known() ? V3.OK : UNKNOWN);
    }

    /** Instances for consumers. Unlike older versions it applies protection before the filter of healthy instances. */
    private CompletionStage<HttpResponse> find(ServiceKey service, HttpRequest request) {
        String cluster = NamingParameters.cluster(request);
        String agent = request.header("User-Agent");
        readers.listed(
                new Selection(service, cluster == null ? "" : cluster),
                request.claimedIp(),
                agent == null ? "" : agent,
                "unknown");
        ServiceView all = NamingParameters.seenBy(request, null, reads.view(service, cluster, false));
        ServiceView view = InstanceEndpoints.HEALTHY_ONLY.of(request) && !all.isProtected()
                ? NamingParameters.seenBy(request, null, reads.view(service, cluster, true))
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
                actions.health(reads.snapshot(service)).apply(found.key())));
    }

    /** All instances, with disabled ones: operators enable them. */
    private CompletionStage<HttpResponse> list(ServiceKey service, HttpRequest request) {
        ServiceSnapshot snapshot = reads.find(service);
        return snapshot == null
                ? CompletableFuture.completedFuture(noSuch(service, DetailCode.SERVER_ERROR))
                : CompletableFuture.completedFuture(V3.ENVELOPE.written(
                        NamingJson.rows(chosen(request, snapshot), service, actions.health(snapshot))));
    }

    private CompletionStage<HttpResponse> page(ServiceKey service, HttpRequest request) {
        Page page = PageParameters.POSITIVE.of(request);
        InstanceSearch search = InstanceSearch.read(request);
        ServiceSnapshot snapshot = reads.find(service);
        if (snapshot == null) {
            return CompletableFuture.completedFuture(noSuch(service, DetailCode.SERVICE_NOT_FOUND));
        }
        List<Instance> chosen = search.of(chosen(request, snapshot));
        return CompletableFuture.completedFuture(V3.ENVELOPE.written(
                page.shown(chosen.size(), NamingJson.rows(page.of(chosen), service, actions.health(snapshot)))));
    }

    private static HttpResponse noSuch(ServiceKey service, DetailCode code) {
        return V3.ENVELOPE.failure(404, code, "service " + NamingWire.groupedName(service) + " is not found!");
    }

    private static List<Instance> chosen(HttpRequest request, ServiceSnapshot snapshot) {
        String clusters = NamingParameters.cluster(request);
        List<String> wanted = clusters == null ? List.of() : Arrays.asList(clusters.split(",", -1));
        boolean healthyOnly = InstanceEndpoints.HEALTHY_ONLY.of(request);
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
