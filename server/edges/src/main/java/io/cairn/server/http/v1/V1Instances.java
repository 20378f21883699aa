package io.cairn.server.http.v1;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.BeatEndpoint;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.InstanceEndpoints;
import io.cairn.server.http.naming.InstanceListEndpoint;
import io.cairn.server.http.naming.InstanceSelection;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.OldInstance;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingCheck;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/ns/instance}: registers, lists and changes instances; handles their heartbeats. */
final class V1Instances {

    private static final String PATH = "/v1/ns/instance";
    private static final InstanceListEndpoint.Reading LISTING = new InstanceListEndpoint.Reading(
            V1Instances::clusters, InstanceListEndpoint.CLIENT_IP, InstanceListEndpoint.UDP_PORT);

    private final Switches switches;
    private final InstanceActions actions;
    private final UdpSubscribers udp;

    V1Instances(Switches switches, InstanceActions actions, UdpSubscribers udp) {
        this.switches = switches;
        this.actions = actions;
        this.udp = udp;
    }

    record V1Instance(String service, @JsonUnwrapped OldInstance instance) {}

    /** @param declared words a missing parameter as Nacos's endpoints with declared parameters */
    List<HttpRoute> routes(Endpoints usual, Endpoints declared) {
        InstanceEndpoints shared = new InstanceEndpoints(actions, switches, V1Naming.WORDING);
        return List.of(
                usual.post(PATH, InstanceEndpoints.REGISTER, shared::register),
                usual.delete(PATH, InstanceEndpoints.DEREGISTER, shared.deregister(LossCause.DEREGISTERED)),
                usual.put(PATH, InstanceEndpoints.UPDATE, shared::update),
                usual.patch(PATH, InstanceEndpoints.PATCH_WITH_HEALTH, shared::patchWithHealth),
                usual.get(PATH, InstanceEndpoints.show(V1Instance.class), this::get),
                usual.get(
                        PATH + "/list",
                        InstanceEndpoints.LIST,
                        new InstanceListEndpoint(udp, LISTING, ServiceView.Form.HTTP_V1_LIST, V1Naming.WORDING)),
                usual.put(PATH + "/beat", BeatEndpoint.BEAT, new BeatEndpoint(actions, switches)),
                usual.put(
                        PATH + "/metadata/batch", InstanceEndpoints.ADD_METADATA, selectionFirst(shared::addMetadata)),
                usual.delete(
                        PATH + "/metadata/batch",
                        InstanceEndpoints.REMOVE_METADATA,
                        selectionFirst(shared::removeMetadata)),
                declared.get(
                        PATH + "/statuses",
                        InstanceEndpoints.statuses(
                                InstanceEndpoints.STATUS_KEY.required(), Parameter.ignored("namespaceId", "string")),
                        request -> V1Naming.WORDING.written(shared.statuses(
                                NamingParameters.statusKey(InstanceEndpoints.STATUS_KEY.of(request))))));
    }

    /** Version 1 reports an unreadable selection before other faults. */
    private static Endpoints.Action<ServiceKey> selectionFirst(Endpoints.Action<ServiceKey> action) {
        return (service, request) -> {
            InstanceSelection.read(request);
            return action.handle(service, request);
        };
    }

    private CompletionStage<HttpResponse> get(ServiceKey service, HttpRequest request) {
        // In this endpoint alone, "cluster" does not count.
        String cluster = NamingParameters.CLUSTER_NAME.orNull(request);
        InstanceKey named = NamingParameters.instanceKey(request);
        Instance found = actions.find(
                service,
                new InstanceKey(named.ip(), named.port(), cluster == null ? InstanceKey.DEFAULT_CLUSTER : cluster));
        String groupedName = NamingWire.groupedName(service);
        return V1Naming.WORDING.written(new V1Instance(groupedName, OldInstance.of(found, groupedName)));
    }

    private static @Nullable String clusters(HttpRequest request) {
        String clusters = InstanceListEndpoint.CLUSTERS.orNull(request);
        NamingCheck.clusters(clusters);
        return clusters;
    }
}
