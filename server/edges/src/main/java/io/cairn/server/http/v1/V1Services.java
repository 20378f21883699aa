package io.cairn.server.http.v1;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.naming.SelectorView;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.ServiceEndpoints;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.subscription.Subscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.util.RawValue;

final class V1Services {

    private static final String PATH = "/v1/ns/service";
    private static final PageParameters SUBSCRIBERS = PageParameters.ofSize(1000);

    private static final Parameter<String> NAMESPACE =
            Parameter.text("namespaceId", "The namespace; all when absent").orNone();
    private static final Parameter<String> EXPRESSION =
            Parameter.text("expr", "A part of group@@name").orNone();

    private static final Operation<HttpRequest> NAMES = Operation.of(NAMESPACE, EXPRESSION)
            .needs(Right.either(request ->
                    NAMESPACE.orNull(request) == null ? Right.anywhere(Action.READ) : ServiceEndpoints.readSome()))
            .answers(NamesByNamespace.class)
            .says("Lists the names of services");

    private final RegistryView reads;
    private final ServiceActions actions;

    V1Services(RegistryView reads, ServiceActions actions) {
        this.reads = reads;
        this.actions = actions;
    }

    record V1Service(
            String namespaceId,
            String groupName,
            String name,
            double protectThreshold,
            Map<String, String> metadata,
            SelectorView selector,
            List<Cluster> clusters) {

        record Cluster(String name, RawValue healthChecker, Map<String, String> metadata) {

            static Cluster of(String name, ClusterSettings settings) {
                return new Cluster(name, new RawValue(settings.healthChecker()), settings.metadata());
            }
        }

        static V1Service of(ServiceSnapshot service) {
            ServiceSettings settings = service.settings();
            return new V1Service(
                    service.service().namespace().id(),
                    service.service().group(),
                    service.service().name(),
                    settings.protectThreshold(),
                    settings.metadata(),
                    SelectorView.of(settings.selector()),
                    NamingJson.clustersAndSettings(service).stream()
                            .map(name -> Cluster.of(name, settings.cluster(name)))
                            .toList());
        }
    }

    record V1ServiceNames(int count, List<String> doms) {}

    /**
     * Names of services by namespace, as {@code group@@name}.
     *
     * @param accident the same again: servers of 2.x send this name by accident, and tools may read it
     */
    record NamesByNamespace(
            @JsonProperty("META-INF/services") Map<String, List<String>> accident,
            Map<String, List<String>> services,
            int count) {}

    record V1Subscribers(Rows<V1Subscriber> subscribers, int count) {}

    record V1Subscriber(
            String addrStr,
            String agent,
            String app,
            String ip,
            int port,
            String namespaceId,
            String serviceName,
            String cluster) {

        static V1Subscriber of(ServiceKey service, Subscriber subscriber) {
            String ip = subscriber.ip();
            return new V1Subscriber(
                    subscriber.port() > 0 ? ip + ':' + subscriber.port() : ip,
                    subscriber.agent(),
                    subscriber.app(),
                    ip,
                    subscriber.port(),
                    service.namespace().id(),
                    NamingWire.groupedName(service),
                    subscriber.clusters());
        }
    }

    List<HttpRoute> routes(Endpoints usual, Endpoints declared) {
        ServiceEndpoints shared = new ServiceEndpoints(actions, V1Naming.WORDING);
        // Only this version wraps them.
        CompletionStage<HttpResponse> selectorTypes = CompletableFuture.completedFuture(HttpResponse.ok(
                HttpResponse.JSON, "{\"code\":200,\"message\":null,\"data\":" + ServiceEndpoints.TYPES + "}"));
        return List.of(
                declared.post(PATH, ServiceEndpoints.CREATE_PERSISTENT, shared::createPersistent),
                declared.delete(PATH, ServiceEndpoints.REMOVE, shared::remove),
                usual.put(PATH, ServiceEndpoints.UPDATE, (service, request) -> {
                    NamingParameters.PROTECT_THRESHOLD.mustBeIn(request);
                    return shared.update(service, request);
                }),
                declared.get(
                        PATH,
                        ServiceEndpoints.show(V1Service.class),
                        (service, request) -> V1Naming.WORDING.written(V1Service.of(actions.get(service)))),
                usual.get(
                        PATH + "/list",
                        ServiceEndpoints.listNames(PageParameters.REQUIRED, V1ServiceNames.class),
                        this::list),
                usual.get(PATH + "/names", NAMES, this::names),
                usual.get(
                        PATH + "/subscribers",
                        ServiceEndpoints.subscribers(SUBSCRIBERS, Answer.of(V1Subscribers.class)),
                        this::subscribers),
                usual.get(
                        PATH + "/selector/types",
                        ServiceEndpoints.SELECTOR_TYPES.as(Operation.Wrapping.OLD_ENVELOPE),
                        request -> selectorTypes),
                usual.put("/v1/ns/cluster", ServiceEndpoints.UPDATE_CLUSTER, shared::updateCluster));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        Page page = PageParameters.REQUIRED.of(request);
        Namespace namespace = NamingParameters.namespace(request);
        ServiceActions.Listed<String> names = actions.names(
                namespace, NamingParameters.group(request), RequestCaller.readableServices(request, namespace), page);
        return V1Naming.WORDING.written(new V1ServiceNames(names.total(), names.shown()));
    }

    private CompletionStage<HttpResponse> names(HttpRequest request) {
        String expression = EXPRESSION.orNull(request);
        List<Namespace> namespaces = new ArrayList<>();
        if (NAMESPACE.orNull(request) != null) {
            namespaces.add(NamingParameters.namespace(request));
        } else {
            namespaces.addAll(reads.namespaces());
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
            reads.forEachServiceKey(namespace, service -> {
                String name = NamingWire.groupedName(service);
                if (visible.has(service) && (expression == null || name.contains(expression))) {
                    names.add(name);
                }
            });
            services.put(namespace.id(), names);
            count += names.size();
        }
        return V1Naming.WORDING.written(new NamesByNamespace(services, services, count));
    }

    private CompletionStage<HttpResponse> subscribers(ServiceKey service, HttpRequest request) {
        Page page = SUBSCRIBERS.of(request);
        return actions.subscribers(service, ServiceEndpoints.AGGREGATION.of(request))
                .thenApply(found -> V1Naming.WORDING.written(
                        new V1Subscribers(
                                Rows.of(page.of(found.rows()), subscriber -> V1Subscriber.of(service, subscriber)),
                                found.rows().size()),
                        found.silent()));
    }
}
