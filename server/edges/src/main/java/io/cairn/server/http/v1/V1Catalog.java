package io.cairn.server.http.v1;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.naming.InstanceEndpoints;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.naming.SelectorView;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.ServiceEndpoints;
import io.cairn.server.http.naming.ServiceForm;
import io.cairn.server.http.naming.ServiceSummary;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.view.ServiceSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.util.RawValue;

/** {@code /v1/ns/catalog}: services and instances for the console of version 1. */
final class V1Catalog {

    private static final String PATH = "/v1/ns/catalog";

    private static final Parameter<Boolean> HAS_IP_COUNT =
            Parameter.flag("hasIpCount", "Lists services with instances only").orElse(false);
    private static final Parameter<Boolean> WITH_INSTANCES = Parameter.flag(
                    "withInstances", "Lists services with their instances")
            .orElse(false);

    /** The cluster whose instances are listed. */
    private static final Parameter<String> CLUSTER_NAME = Parameter.text("clusterName", "The cluster of the service");

    private static final Operation<HttpRequest> SEARCH = Operation.of(Form.of(NamingParameters.NAMESPACE_ID)
                    .and(ServiceActions.Search.PARAMETERS)
                    .and(Parameter.ignored("containedInstance", "string"), HAS_IP_COUNT, WITH_INSTANCES)
                    .and(PageParameters.REQUIRED.both()))
            .needs(ServiceEndpoints.readSome())
            // An array with withInstances.
            .answers("object")
            .says("Lists services with their clusters");

    private static final Operation<ServiceKey> SHOW = Operation.of(ServiceForm.SERVICE)
            .needs(ServiceForm.READ)
            .answers(CatalogService.class)
            .says("Shows a service with its clusters");

    private final RegistryView reads;
    private final ServiceActions actions;

    V1Catalog(RegistryView reads, ServiceActions actions) {
        this.reads = reads;
        this.actions = actions;
    }

    record Found(int count, Rows<ServiceSummary> serviceList) {}

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

    record Hosts(List<Host> hosts) {}

    record Host(String ip, int port, boolean valid, double weight, boolean enabled, Map<String, String> metadata) {

        static Host of(Instance host) {
            return new Host(
                    host.key().ip(), host.key().port(), host.healthy(), host.weight(), host.enabled(), host.metadata());
        }
    }

    record CatalogService(Service service, List<Cluster> clusters) {

        record Service(
                String name,
                String groupName,
                double protectThreshold,
                SelectorView selector,
                Map<String, String> metadata) {}

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

    record CatalogInstances(Rows<byte[]> list, int count) {}

    List<HttpRoute> routes(Endpoints usual, Endpoints declared) {
        return List.of(
                usual.get(PATH + "/services", SEARCH, this::search),
                usual.get(
                        PATH + "/service",
                        SHOW,
                        (service, request) ->
                                V1Naming.WORDING.written(CatalogService.of(actions.getOfCatalog(service)))),
                declared.get(
                        PATH + "/instances",
                        InstanceEndpoints.LIST_OF_CATALOG.answers(CatalogInstances.class),
                        this::instances));
    }

    private CompletionStage<HttpResponse> search(HttpRequest request) {
        Page page = PageParameters.REQUIRED.of(request);
        boolean withInstances = WITH_INSTANCES.of(request);
        return actions.search(
                        NamingParameters.namespace(request),
                        ServiceActions.Search.read(request, HAS_IP_COUNT.of(request)),
                        RequestCaller.readableServices(request, NamingParameters.namespace(request)),
                        page)
                .thenCompose(found -> V1Naming.WORDING.written(withInstances ? withInstances(found) : summary(found)));
    }

    private Rows<ServiceWithHosts> withInstances(ServiceActions.Listed<ServiceKey> found) {
        return Rows.of(found.shown(), service -> ServiceWithHosts.of(reads.snapshot(service)));
    }

    private Found summary(ServiceActions.Listed<ServiceKey> found) {
        return new Found(
                found.total(), Rows.of(found.shown(), service -> ServiceSummary.of(reads, reads.snapshot(service))));
    }

    private CompletionStage<HttpResponse> instances(ServiceKey service, HttpRequest request) {
        String cluster = CLUSTER_NAME.of(request);
        NamingParameters.cluster(request);
        Page page = PageParameters.REQUIRED.of(request);
        List<Instance> instances = actions.instancesOfCatalog(service, cluster);
        return V1Naming.WORDING.written(
                new CatalogInstances(NamingJson.rows(page.of(instances), service), instances.size()));
    }
}
