package io.cairn.server.http.v1;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.subscription.Subscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;

/** {@code /v1/ns/service}, {@code cluster}, {@code health} and {@code catalog}: services and what is set for them. */
public final class ServiceEndpoints {

    private static final int SUBSCRIBERS_ON_A_PAGE = 1000;
    private static final CompletionStage<HttpResponse> SELECTOR_TYPES =
            CompletableFuture.completedFuture(HttpResponse.ok(
                    HttpResponse.JSON, "{\"code\":200,\"message\":null,\"data\":" + NamingJson.SELECTOR_TYPES + "}"));
    private static final CompletionStage<HttpResponse> CHECKERS =
            CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.JSON, NamingJson.CHECKERS));

    private final NamingService naming;
    private final ServiceActions actions;
    private final IntSupplier port;
    private final V1NamingErrors errors;

    /** @param port of HTTP, which the server tells of itself */
    public ServiceEndpoints(NamingService naming, ServiceActions actions, IntSupplier port, V1NamingErrors errors) {
        this.naming = naming;
        this.actions = actions;
        this.port = port;
        this.errors = errors;
    }

    public List<HttpRoute> routes() {
        V1NamingErrors ofDeclared = errors.ofDeclared();
        return List.of(
                HttpRoute.post(
                        "/v1/ns/service",
                        ofDeclared,
                        request -> InstanceEndpoints.ok(
                                actions.create(NamingParameters.service(request), request, false))),
                HttpRoute.delete(
                        "/v1/ns/service",
                        ofDeclared,
                        request -> InstanceEndpoints.ok(
                                actions.remove(NamingParameters.service(request), RequestCaller.of(request)))),
                HttpRoute.put("/v1/ns/service", errors, this::update),
                HttpRoute.get("/v1/ns/service", ofDeclared, this::get),
                HttpRoute.get("/v1/ns/service/list", errors, this::list),
                HttpRoute.get("/v1/ns/service/names", errors, this::names),
                HttpRoute.get("/v1/ns/service/subscribers", errors, this::subscribers),
                HttpRoute.get("/v1/ns/service/selector/types", errors, request -> SELECTOR_TYPES),
                HttpRoute.put(
                        "/v1/ns/cluster",
                        errors,
                        request -> InstanceEndpoints.ok(
                                actions.updateCluster(NamingParameters.service(request), request))),
                HttpRoute.put("/v1/ns/health", errors, this::setHealth),
                HttpRoute.put("/v1/ns/health/instance", errors, this::setHealth),
                HttpRoute.get("/v1/ns/health/checkers", errors, request -> CHECKERS),
                HttpRoute.get("/v1/ns/health/server", errors, this::greet),
                HttpRoute.get("/v1/ns/catalog/services", errors, this::searchCatalog),
                HttpRoute.get("/v1/ns/catalog/service", errors, this::getOfCatalog),
                HttpRoute.get("/v1/ns/catalog/instances", ofDeclared, this::instancesOfCatalog));
    }

    private CompletionStage<HttpResponse> update(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        NamingParameters.required(request, "protectThreshold");
        return InstanceEndpoints.ok(actions.update(service, request));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ServiceSnapshot found = actions.get(NamingParameters.service(request));
        ServiceSettings settings = found.settings();
        return InstanceEndpoints.json(new JsonOutput(256)
                .text("namespaceId", found.service().namespace().id())
                .text("groupName", found.service().group())
                .text("name", found.service().name())
                .decimal("protectThreshold", settings.protectThreshold())
                .texts("metadata", settings.metadata())
                .json("selector", NamingJson.selector(settings.selector()))
                .objects("clusters", NamingJson.clusters(found), (cluster, out) -> {
                    ClusterSettings of = settings.cluster(cluster);
                    out.text("name", cluster)
                            .json("healthChecker", of.healthChecker())
                            .texts("metadata", of.metadata());
                })
                .toBytes());
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        Page page = NamingParameters.requiredPage(request);
        Namespace namespace = NamingParameters.namespace(request);
        ServiceActions.Listed<String> names = actions.names(
                namespace, NamingParameters.group(request), RequestCaller.readableServices(request, namespace), page);
        return InstanceEndpoints.json(new JsonOutput(64 + names.shown().size() * 32)
                .number("count", names.total())
                .textList("doms", names.shown())
                .toBytes());
    }

    private CompletionStage<HttpResponse> names(HttpRequest request) {
        String expression = NamingParameters.given(request, "expr");
        List<Namespace> namespaces = new ArrayList<>();
        if (NamingParameters.given(request, "namespaceId") != null) {
            namespaces.add(NamingParameters.namespace(request));
        } else {
            namespaces.addAll(naming.namespaces());
        }
        Principal principal = RequestCaller.of(request).principal();
        int count = 0;
        Map<String, List<String>> services = new TreeMap<>();
        for (Namespace namespace : namespaces) {
            if (!principal.mayEnter(Action.READ, namespace, ResourceType.NAMING)) {
                continue;
            }
            ReadScope visible = RequestCaller.readableServices(request, namespace);
            List<String> names = new ArrayList<>();
            naming.forEachServiceKey(namespace, service -> {
                String name = NamingWire.groupedName(service);
                if (visible.has(service) && (expression == null || name.contains(expression))) {
                    names.add(name);
                }
            });
            services.put(namespace.id(), names);
            count += names.size();
        }
        JsonOutput byNamespace = new JsonOutput(64 + count * 32);
        // Namespaces are words, so they need no escapes.
        services.forEach(byNamespace::textList);
        byte[] json = byNamespace.toBytes();
        return InstanceEndpoints.json(new JsonOutput(json.length * 2 + 64)
                // Servers of 2.x have it under this name by an accident, and tools may have got used to it.
                .json("META-INF/services", json)
                .json("services", json)
                .number("count", count)
                .toBytes());
    }

    private CompletionStage<HttpResponse> subscribers(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        ServiceActions.Listed<Subscriber> subscribers =
                actions.subscribers(service, NamingParameters.page(request, SUBSCRIBERS_ON_A_PAGE));
        return InstanceEndpoints.json(new JsonOutput(64 + subscribers.shown().size() * 192)
                .objects(
                        "subscribers",
                        subscribers.shown(),
                        (subscriber, out) -> NamingJson.subscriber(subscriber, service, out))
                .number("count", subscribers.total())
                .toBytes());
    }

    private CompletionStage<HttpResponse> setHealth(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        String healthy = NamingParameters.text(request, "valid");
        if (healthy == null) {
            healthy = NamingParameters.required(request, "healthy");
        }
        return InstanceEndpoints.ok(
                actions.setHealth(service, instance, NamingParameters.flag(healthy), RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> greet(HttpRequest request) {
        return InstanceEndpoints.json(new JsonOutput(128)
                .text(
                        "msg",
                        "Hello! I am Nacos-Naming and healthy! total services: " + naming.serviceCount()
                                + ", local port:" + port.getAsInt())
                .toBytes());
    }

    // --- the catalog

    private CompletionStage<HttpResponse> searchCatalog(HttpRequest request) {
        Page page = NamingParameters.requiredPage(request);
        boolean withInstances = NamingParameters.flag(request, "withInstances", false);
        return actions.search(
                        NamingParameters.namespace(request),
                        ServiceActions.Search.read(request, NamingParameters.flag(request, "hasIpCount", false)),
                        RequestCaller.readableServices(request, NamingParameters.namespace(request)),
                        page)
                .thenCompose(found -> catalog(found, withInstances));
    }

    private CompletionStage<HttpResponse> catalog(ServiceActions.Listed<ServiceSnapshot> found, boolean withInstances) {
        if (withInstances) {
            List<byte[]> services = new ArrayList<>();
            found.shown().forEach(service -> services.add(withInstances(service)));
            return InstanceEndpoints.json(NamingJson.array(services));
        }
        return InstanceEndpoints.json(new JsonOutput(64 + found.shown().size() * 128)
                .number("count", found.total())
                .objects("serviceList", found.shown(), (service, out) -> NamingJson.summary(naming, service, out))
                .toBytes());
    }

    private static byte[] withInstances(ServiceSnapshot service) {
        JsonOutput clusters = new JsonOutput(64 + service.size() * 128);
        for (String cluster : NamingJson.clusters(service)) {
            List<Instance> hosts = service.instances().stream()
                    .filter(instance -> instance.key().cluster().equals(cluster))
                    .toList();
            clusters.json(
                    cluster,
                    new JsonOutput(64 + hosts.size() * 128)
                            .objects("hosts", hosts, (host, out) -> out.text(
                                            "ip", host.key().ip())
                                    .number("port", host.key().port())
                                    .flag("valid", host.healthy())
                                    .decimal("weight", host.weight())
                                    .flag("enabled", host.enabled())
                                    .texts("metadata", host.metadata()))
                            .toBytes());
        }
        return new JsonOutput(128 + service.size() * 128)
                .text("serviceName", service.service().name())
                .text("groupName", service.service().group())
                .json("clusterMap", clusters.toBytes())
                .texts("metadata", service.settings().metadata())
                .toBytes();
    }

    private CompletionStage<HttpResponse> getOfCatalog(HttpRequest request) {
        ServiceSnapshot found = actions.getOfCatalog(NamingParameters.service(request));
        ServiceSettings settings = found.settings();
        String groupedName = NamingWire.groupedName(found.service());
        return InstanceEndpoints.json(new JsonOutput(512)
                .json(
                        "service",
                        new JsonOutput(256)
                                .text("name", found.service().name())
                                .text("groupName", found.service().group())
                                .decimal("protectThreshold", settings.protectThreshold())
                                .json("selector", NamingJson.selector(settings.selector()))
                                .texts("metadata", settings.metadata())
                                .toBytes())
                .objects("clusters", NamingJson.clusters(found), (cluster, out) -> {
                    ClusterSettings of = settings.cluster(cluster);
                    out.text("serviceName", groupedName)
                            .text("name", cluster)
                            .json("healthChecker", of.healthChecker())
                            .number("defaultPort", ClusterSettings.DEFAULT.checkPort())
                            .number("defaultCheckPort", of.checkPort())
                            .flag("useIPPort4Check", of.useInstancePort())
                            .texts("metadata", of.metadata());
                })
                .toBytes());
    }

    private CompletionStage<HttpResponse> instancesOfCatalog(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        String cluster = NamingParameters.required(request, "clusterName");
        NamingParameters.cluster(request);
        Page page = NamingParameters.requiredPage(request);
        List<Instance> instances = actions.instancesOfCatalog(service, cluster);
        return InstanceEndpoints.json(new JsonOutput(1024)
                .json("list", NamingJson.instances(page.of(instances), service))
                .number("count", instances.size())
                .toBytes());
    }
}
