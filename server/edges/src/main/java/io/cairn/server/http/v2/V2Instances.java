package io.cairn.server.http.v2;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.naming.BeatEndpoint;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.InstanceEndpoints;
import io.cairn.server.http.naming.InstanceListEndpoint;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.OldInstance;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.naming.ResponseWording;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v2/ns/instance} and {@code /v2/ns/catalog}: instances and their heartbeats. */
final class V2Instances {

    private static final String PATH = "/v2/ns/instance";
    private static final String STATUSES = PATH + "/statuses/";

    private static final InstanceListEndpoint.Reading LISTING = new InstanceListEndpoint.Reading(
            NamingParameters::cluster, InstanceListEndpoint.IP, InstanceListEndpoint.PORT);

    /** A change of an instance's parts is answered without an envelope. */
    private static final ResponseWording PLAIN = new ResponseWording(
            CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "ok")),
            NamingV2.WORDING.kept(),
            NamingV2.WORDING.wrap());

    private final Switches switches;
    private final InstanceActions actions;
    private final ServiceActions services;
    private final UdpSubscribers udp;

    V2Instances(Switches switches, InstanceActions actions, ServiceActions services, UdpSubscribers udp) {
        this.switches = switches;
        this.actions = actions;
        this.services = services;
        this.udp = udp;
    }

    record V2Instance(String serviceName, @JsonUnwrapped OldInstance instance) {}

    private record InstancesPage(Rows<byte[]> instances, int count) {}

    /** @param single words a missing parameter as endpoints that read each by itself */
    List<HttpRoute> routes(Endpoints usual, Endpoints single) {
        InstanceEndpoints shared = new InstanceEndpoints(actions, switches, NamingV2.WORDING);
        return List.of(
                usual.post(PATH, InstanceEndpoints.REGISTER, shared::register),
                usual.delete(PATH, InstanceEndpoints.DEREGISTER, shared.deregister(LossCause.DEREGISTERED)),
                usual.put(PATH, InstanceEndpoints.UPDATE, shared::update),
                single.patch(PATH, InstanceEndpoints.PATCH, new InstanceEndpoints(actions, switches, PLAIN)::patch),
                single.get(PATH, InstanceEndpoints.show(V2Instance.class), this::get),
                single.get(
                        PATH + "/list",
                        InstanceEndpoints.LIST,
                        new InstanceListEndpoint(udp, LISTING, ServiceView.Form.HTTP_V2_LIST, NamingV2.WORDING)),
                usual.put(PATH + "/metadata/batch", InstanceEndpoints.ADD_METADATA, shared::addMetadata),
                usual.delete(PATH + "/metadata/batch", InstanceEndpoints.REMOVE_METADATA, shared::removeMetadata),
                single.put(PATH + "/beat", BeatEndpoint.BEAT, new BeatEndpoint(actions, switches)),
                usual.get(STATUSES + "**", InstanceEndpoints.statuses(), request -> statuses(shared, request)),
                single.get(
                        "/v2/ns/catalog/instances",
                        InstanceEndpoints.LIST_OF_CATALOG.answers(InstancesPage.class),
                        this::catalog));
    }

    private CompletionStage<HttpResponse> get(ServiceKey service, HttpRequest request) {
        Instance found = actions.findShown(service, NamingParameters.instanceKey(request));
        String groupedName = NamingWire.groupedName(service);
        return NamingV2.WORDING.written(new V2Instance(groupedName, OldInstance.of(found, groupedName)));
    }

    /** The path ends in {@code group@@service} or {@code namespace##group@@service}. */
    private static CompletionStage<HttpResponse> statuses(InstanceEndpoints shared, HttpRequest request) {
        String key = NamingParameters.decoded(
                request.path().substring(request.path().indexOf(STATUSES) + STATUSES.length()));
        return CompletableFuture.completedFuture(V2.ENVELOPE.bare(shared.statuses(NamingParameters.statusKey(key))));
    }

    private CompletionStage<HttpResponse> catalog(ServiceKey service, HttpRequest request) {
        Page page = PageParameters.REQUIRED.of(request);
        String cluster = NamingParameters.cluster(request);
        boolean healthyOnly = InstanceEndpoints.HEALTHY_ONLY.of(request);
        boolean enabledOnly = InstanceEndpoints.ENABLED_ONLY.of(request);
        List<Instance> chosen = new ArrayList<>();
        for (Instance instance : services.getOfCatalog(service).instances()) {
            if ((cluster == null || cluster.equals(instance.key().cluster()))
                    && (!healthyOnly || instance.healthy())
                    && (!enabledOnly || instance.enabled())) {
                chosen.add(instance);
            }
        }
        return NamingV2.WORDING.written(new InstancesPage(NamingJson.rows(page.of(chosen), service), chosen.size()));
    }
}
