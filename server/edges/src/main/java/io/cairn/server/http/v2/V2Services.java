package io.cairn.server.http.v2;

import io.cairn.api.config.Namespace;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.naming.SelectorView;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.ServiceEndpoints;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.view.ServiceSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

final class V2Services {

    private static final String PATH = "/v2/ns/service";
    private static final PageParameters PAGE = PageParameters.ofSize(20);

    private final ServiceActions actions;

    V2Services(ServiceActions actions) {
        this.actions = actions;
    }

    record V2Service(
            String namespace,
            String serviceName,
            String groupName,
            Map<String, Cluster> clusterMap,
            Map<String, String> metadata,
            double protectThreshold,
            SelectorView selector,
            boolean ephemeral) {

        /** @param hosts always null */
        record Cluster(
                String clusterName,
                RawValue healthChecker,
                Map<String, String> metadata,
                @Nullable List<RawValue> hosts) {

            static Cluster of(String name, ClusterSettings settings) {
                return new Cluster(name, new RawValue(settings.healthChecker()), settings.metadata(), null);
            }
        }

        static V2Service of(ServiceSnapshot service) {
            ServiceSettings settings = service.settings();
            Map<String, Cluster> clusters = new LinkedHashMap<>();
            for (String name : NamingJson.clustersAndSettings(service)) {
                clusters.put(name, Cluster.of(name, settings.cluster(name)));
            }
            return new V2Service(
                    service.service().namespace().id(),
                    service.service().name(),
                    service.service().group(),
                    clusters,
                    settings.metadata(),
                    settings.protectThreshold(),
                    SelectorView.of(settings.selector()),
                    service.isEphemeral());
        }
    }

    record V2ServiceNames(int count, List<String> services) {}

    /** @param single words a missing parameter as endpoints that read each by itself */
    List<HttpRoute> routes(Endpoints usual, Endpoints single) {
        ServiceEndpoints shared = new ServiceEndpoints(actions, NamingV2.WORDING);
        return List.of(
                usual.post(PATH, ServiceEndpoints.CREATE, shared::create),
                usual.put(PATH, ServiceEndpoints.UPDATE, shared::update),
                single.delete(PATH, ServiceEndpoints.REMOVE, shared::remove),
                single.get(
                        PATH,
                        ServiceEndpoints.show(V2Service.class),
                        (service, request) -> NamingV2.WORDING.written(V2Service.of(actions.get(service)))),
                single.get(PATH + "/list", ServiceEndpoints.listNames(PAGE, V2ServiceNames.class), this::list));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        Namespace namespace = NamingParameters.namespace(request);
        ServiceActions.Listed<String> names = actions.names(
                namespace,
                NamingParameters.group(request),
                RequestCaller.readableServices(request, namespace),
                PAGE.of(request));
        return NamingV2.WORDING.written(new V2ServiceNames(names.total(), names.shown()));
    }
}
