package io.cairn.server.http.v3;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.ServiceEndpoints;
import io.cairn.server.http.naming.ServiceForm;
import io.cairn.server.http.naming.ServiceSummary;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.InstanceLosses;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.subscription.Subscriber;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Services and the settings of their clusters, for administration and for consoles. */
final class V3Services {

    private static final String ADMIN = "/v3/admin/ns";
    private static final String CONSOLE = "/v3/console/ns";

    private static final Operation<HttpRequest> LIST = Operation.of(
                    "namespaceId serviceNameParam groupNameParam ignoreEmptyService:boolean withInstances:boolean instance"
                            + " health sort order " + ServiceForm.PAGE)
            .needs(ServiceEndpoints.readSome())
            // A page of summaries, or of details with withInstances.
            .answers("object")
            .says(
                    "Lists services: those of a name, group, address or health (ill, down, protected), in the order of name,"
                            + " group, instances, healthy or health");

    private static final Operation<ServiceKey> SUBSCRIBERS =
            ServiceEndpoints.subscribers(Answer.pageOf(ServiceSubscriber.class));

    private final NamingService naming;
    private final ServiceActions actions;
    private final ServiceEndpoints shared;

    V3Services(NamingService naming, ServiceActions actions) {
        this.naming = naming;
        this.actions = actions;
        this.shared = new ServiceEndpoints(actions, NamingV3.WORDING);
    }

    /**
     * A subscriber of a service.
     *
     * @param clusters separated by commas; null for all
     */
    record ServiceSubscriber(
            String namespaceId,
            String groupName,
            String serviceName,
            String ip,
            int port,
            String agent,
            String appName,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String clusters) {

        static ServiceSubscriber of(ServiceKey service, Subscriber subscriber) {
            return new ServiceSubscriber(
                    service.namespace().id(),
                    service.group(),
                    service.name(),
                    subscriber.ip(),
                    subscriber.port(),
                    subscriber.agent(),
                    subscriber.app(),
                    subscriber.clusters().isEmpty() ? null : subscriber.clusters());
        }
    }

    List<HttpRoute> adminRoutes(Endpoints endpoints) {
        return routes(ADMIN, ADMIN + "/cluster", endpoints);
    }

    List<HttpRoute> consoleRoutes(Endpoints endpoints) {
        return routes(CONSOLE, CONSOLE + "/service/cluster", endpoints);
    }

    private List<HttpRoute> routes(String base, String cluster, Endpoints endpoints) {
        String path = base + "/service";
        return List.of(
                endpoints.post(path, ServiceEndpoints.CREATE, shared::create),
                endpoints.put(path, ServiceEndpoints.UPDATE, shared::update),
                endpoints.delete(path, ServiceEndpoints.REMOVE, shared::remove),
                endpoints.get(path, ServiceEndpoints.show(ServiceDetail.class), this::get),
                endpoints.get(path + "/list", LIST, this::list),
                endpoints.get(path + "/subscribers", SUBSCRIBERS, this::subscribers),
                endpoints.get(path + "/selector/types", ServiceEndpoints.SELECTOR_TYPES, shared::selectorTypes),
                endpoints.put(cluster, ServiceEndpoints.UPDATE_CLUSTER, shared::updateCluster));
    }

    private CompletionStage<HttpResponse> get(ServiceKey service, HttpRequest request) {
        List<InstanceLosses.Loss> losses = naming.losses().of(service);
        ServiceSnapshot found = naming.find(service);
        if (found == null && !losses.isEmpty()) {
            // A reader that asks for a service that is gone needs the cause.
            InstanceLosses.Loss last = losses.get(0);
            throw new NamingException(
                    NamingException.Fault.SERVICE_ABSENT,
                    "service not found, namespace: " + service.namespace().id() + ", serviceName: "
                            + NamingWire.groupedName(service) + "; it lost " + last.count() + " of its instances at "
                            + Instant.ofEpochMilli(last.atMillis()) + ": "
                            + last.cause().text());
        }
        return NamingV3.WORDING.written(ServiceDetail.alone(found == null ? actions.get(service) : found, losses));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        ServiceActions.Search search =
                ServiceActions.Search.readSorted(request, NamingParameters.flag(request, "ignoreEmptyService", false));
        Page page = NamingParameters.positivePage(request, V3.PAGE_SIZE);
        Namespace namespace = NamingParameters.namespace(request);
        boolean withInstances = NamingParameters.flag(request, "withInstances", false);
        return actions.search(namespace, search, RequestCaller.readableServices(request, namespace), page)
                .thenCompose(found -> {
                    List<Record> items = new ArrayList<>();
                    for (ServiceSnapshot service : found.shown()) {
                        items.add(
                                withInstances ? ServiceDetail.withHosts(service) : ServiceSummary.of(naming, service));
                    }
                    return NamingV3.WORDING.written(page.shown(found.total(), items));
                });
    }

    private CompletionStage<HttpResponse> subscribers(ServiceKey service, HttpRequest request) {
        Page page = NamingParameters.positivePage(request, V3.PAGE_SIZE);
        return actions.subscribers(service, NamingParameters.flag(request, "aggregation", true))
                .thenApply(found -> NamingV3.WORDING.written(
                        page.shown(
                                found.rows().size(),
                                page.of(found.rows()).stream()
                                        .map(subscriber -> ServiceSubscriber.of(service, subscriber))
                                        .toList()),
                        found.silent()));
    }
}
