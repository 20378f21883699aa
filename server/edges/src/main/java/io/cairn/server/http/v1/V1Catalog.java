package io.cairn.server.http.v1;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.InstanceEndpoints;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.SelectorView;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.ServiceEndpoints;
import io.cairn.server.http.naming.ServiceForm;
import io.cairn.server.http.naming.ServiceSummary;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.ServiceSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.util.RawValue;

/** {@code /v1/ns/catalog}: services and their instances, as the console of that version shows them. */
final class V1Catalog {

    private static final String PATH = "/v1/ns/catalog";

    private static final Operation<HttpRequest> SEARCH = Operation.of(
                    "namespaceId serviceNameParam groupNameParam instance containedInstance hasIpCount:boolean"
                            + " withInstances:boolean " + ServiceForm.PAGE)
            .needs(ServiceEndpoints.readSome())
            // An array with withInstances.
            .answers("object")
            .says("Lists services with their clusters");

    private static final Operation<ServiceKey> SHOW = Operation.of(ServiceForm.SERVICE)
            .needs(ServiceForm.READ)
            .answers(CatalogService.class)
            .says("Shows a service with its clusters");

    private final NamingService naming;
    private final ServiceActions actions;

    V1Catalog(NamingService naming, ServiceActions actions) {
        this.naming = naming;
        this.actions = actions;
    }

    /** A page of a search. */
    record Found(int count, List<ServiceSummary> serviceList) {}

    /** A service with its instances. */
    record ServiceWithHosts(
            String serviceName, String groupName, Map<String, Hosts> clusterMap, Map<String, String> metadata) {

        static ServiceWithHosts of(ServiceSnapshot service) {
            Map<String, Hosts> clusters = new LinkedHashMap<>();
            for (String cluster : NamingJson.clusters(service)) {
                clusters.put(
                        cluster,
                        new Hosts(service.instances().stream()
                                .filter(instance -> instance.key().cluster().equals(cluster))
                                .map(Host::of)
                                .toList()));
            }
            return new ServiceWithHosts(
                    service.service().name(),
                    service.service().group(),
                    clusters,
                    service.settings().metadata());
        }
    }

    /** The instances of a cluster. */
    record Hosts(List<Host> hosts) {}

    /** An instance in a {@link ServiceWithHosts}. */
    record Host(String ip, int port, boolean valid, double weight, boolean enabled, Map<String, String> metadata) {

        static Host of(Instance host) {
            return new Host(
                    host.key().ip(), host.key().port(), host.healthy(), host.weight(), host.enabled(), host.metadata());
        }
    }

    /** A service with the settings of its clusters. */
    record CatalogService(Service service, List<Cluster> clusters) {

        /** The settings of a service. */
        record Service(
                String name,
                String groupName,
                double protectThreshold,
                SelectorView selector,
                Map<String, String> metadata) {}

        /** The settings of a cluster. */
        record Cluster(
                String serviceName,
                String name,
                RawValue healthChecker,
                int defaultPort,
                int defaultCheckPort,
                boolean useIPPort4Check,
                Map<String, String> metadata) {

            static Cluster of(String groupedName, String name, ClusterSettings settings) {
                return new Cluster(
                        groupedName,
                        name,
                        new RawValue(settings.healthChecker()),
                        ClusterSettings.DEFAULT.checkPort(),
                        settings.checkPort(),
                        settings.useInstancePort(),
                        settings.metadata());
            }
        }

        static CatalogService of(ServiceSnapshot found) {
            ServiceSettings settings = found.settings();
            String groupedName = NamingWire.groupedName(found.service());
            return new CatalogService(
                    new Service(
                            found.service().name(),
                            found.service().group(),
                            settings.protectThreshold(),
                            SelectorView.of(settings.selector()),
                            settings.metadata()),
                    NamingJson.clustersAndSettings(found).stream()
                            .map(cluster -> Cluster.of(groupedName, cluster, settings.cluster(cluster)))
                            .toList());
        }
    }

    /** A page of the instances of a cluster. */
    record CatalogInstances(List<RawValue> list, int count) {}

    List<HttpRoute> routes(Endpoints usual, Endpoints declared) {
        return List.of(
                usual.get(PATH + "/services", SEARCH, this::search),
                usual.get(
                        PATH + "/service",
                        SHOW,
                        (service, request) ->
                                V1Naming.WORDING.written(CatalogService.of(actions.getOfCatalog(service)))),
                declared.get(PATH + "/instances", InstanceEndpoints.LIST_OF_CATALOG, this::instances));
    }

    private CompletionStage<HttpResponse> search(HttpRequest request) {
        Page page = NamingParameters.requiredPage(request);
        boolean withInstances = NamingParameters.flag(request, "withInstances", false);
        return actions.search(
                        NamingParameters.namespace(request),
                        ServiceActions.Search.read(request, NamingParameters.flag(request, "hasIpCount", false)),
                        RequestCaller.readableServices(request, NamingParameters.namespace(request)),
                        page)
                .thenCompose(found -> V1Naming.WORDING.written(withInstances ? withInstances(found) : summary(found)));
    }

    private static List<ServiceWithHosts> withInstances(ServiceActions.Listed<ServiceSnapshot> found) {
        return found.shown().stream().map(ServiceWithHosts::of).toList();
    }

    private Found summary(ServiceActions.Listed<ServiceSnapshot> found) {
        return new Found(
                found.total(),
                found.shown().stream()
                        .map(service -> ServiceSummary.of(naming, service))
                        .toList());
    }

    private CompletionStage<HttpResponse> instances(ServiceKey service, HttpRequest request) {
        String cluster = NamingParameters.required(request, "clusterName");
        NamingParameters.cluster(request);
        Page page = NamingParameters.requiredPage(request);
        List<Instance> instances = actions.instancesOfCatalog(service, cluster);
        return V1Naming.WORDING.written(
                new CatalogInstances(NamingJson.raw(page.of(instances), service), instances.size()));
    }
}
