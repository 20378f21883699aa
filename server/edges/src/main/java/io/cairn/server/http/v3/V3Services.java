package io.cairn.server.http.v3;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.ServiceEndpoints;
import io.cairn.server.http.naming.ServiceForm;
import io.cairn.server.http.naming.ServiceSummary;
import io.cairn.server.http.naming.ServiceTimeline;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.subscription.Subscriber;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

final class V3Services {

    private static final String ADMIN = "/v3/admin/ns";
    private static final String CONSOLE = "/v3/console/ns";

    private static final Parameter<Boolean> WITH_COUNTS = Parameter.flag(
                    "withCounts", "Shows the numbers of instances as well")
            .orElse(false);
    private static final Parameter<Boolean> WITH_INSTANCES_ONLY = Parameter.flag(
                    "ignoreEmptyService", "Lists services with instances only")
            .orElse(false);
    private static final Parameter<Boolean> WITH_INSTANCES = Parameter.flag(
                    "withInstances", "Lists services with their instances")
            .orElse(false);

    private static final Operation<ServiceKey> SHOW =
            ServiceEndpoints.show(ServiceForm.SERVICE.and(WITH_COUNTS), ServiceDetail.class);

    private static final Operation<HttpRequest> LIST = Operation.of(Form.of(NamingParameters.NAMESPACE_ID)
                    .and(ServiceActions.Search.PARAMETERS)
                    .and(WITH_INSTANCES_ONLY, WITH_INSTANCES)
                    .and(ServiceActions.Search.MORE)
                    .and(PageParameters.POSITIVE.both()))
            .needs(ServiceEndpoints.readSome())
            // Summaries, or details with withInstances.
            .answers("object")
            .says(
                    "Lists services: those of a name, group, address or health (ill, down, protected), in the order of name,"
                            + " group, instances, healthy or health");

    private static final Operation<ServiceKey> SUBSCRIBERS =
            ServiceEndpoints.subscribers(PageParameters.POSITIVE, Answer.pageOf(ServiceSubscriber.class));

    private static final Operation<ServiceKey> TIMELINE = Operation.of(ServiceForm.SERVICE)
            .needs(ServiceForm.READ)
            .answers(Answer.listOf(ServiceTimeline.Entry.class))
            .ofAllNodes()
            .says("Lists the latest losses and drains of the instances of a service, since the starts of the nodes");

    private final RegistryView reads;
    private final ServiceActions actions;
    private final ServiceEndpoints shared;

    V3Services(RegistryView reads, ServiceActions actions) {
        this.reads = reads;
        this.actions = actions;
        this.shared = new ServiceEndpoints(actions, NamingV3.WORDING);
    }

    /** @param clusters separated by commas; null for all */
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
                endpoints.get(path, SHOW, this::get),
                endpoints.get(path + "/list", LIST, this::list),
                endpoints.get(path + "/subscribers", SUBSCRIBERS, this::subscribers),
                endpoints.get(path + "/timeline", TIMELINE, this::timeline),
                endpoints.get(path + "/selector/types", ServiceEndpoints.SELECTOR_TYPES, shared::selectorTypes),
                endpoints.put(cluster, ServiceEndpoints.UPDATE_CLUSTER, shared::updateCluster));
    }

    private CompletionStage<HttpResponse> get(ServiceKey service, HttpRequest request) {
        List<InstanceLosses.Loss> losses = reads.losses().of(service);
        ServiceSnapshot found = reads.find(service);
        if (found == null && !losses.isEmpty()) {
            // A reader of a removed service needs the cause.
            InstanceLosses.Loss last = losses.get(0);
            throw new NamingException(
                    NamingException.Fault.SERVICE_ABSENT,
                    "service not found, namespace: " + service.namespace().id() + ", serviceName: "
                            + NamingWire.groupedName(service) + "; it lost " + last.count() + " of its instances at "
                            + Instant.ofEpochMilli(last.atMillis()) + ": "
                            + last.cause().text());
        }
        return NamingV3.WORDING.written(
                ServiceDetail.alone(found == null ? actions.get(service) : found, losses, WITH_COUNTS.of(request)));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        ServiceActions.Search search = ServiceActions.Search.readSorted(request, WITH_INSTANCES_ONLY.of(request));
        Page page = PageParameters.POSITIVE.of(request);
        Namespace namespace = NamingParameters.namespace(request);
        boolean withInstances = WITH_INSTANCES.of(request);
        return actions.search(namespace, search, RequestCaller.readableServices(request, namespace), page)
                .thenCompose(found -> NamingV3.WORDING.written(
                        page.shown(found.total(), Rows.of(found.shown(), service -> shown(service, withInstances)))));
    }

    private Record shown(ServiceKey service, boolean withInstances) {
        ServiceSnapshot found = reads.snapshot(service);
        return withInstances ? ServiceDetail.withHosts(found) : ServiceSummary.of(reads, found);
    }

    private CompletionStage<HttpResponse> timeline(ServiceKey service, HttpRequest request) {
        return actions.timeline(service)
                .thenApply(found -> NamingV3.WORDING.written(Rows.of(found.rows()), found.silent()));
    }

    private CompletionStage<HttpResponse> subscribers(ServiceKey service, HttpRequest request) {
        Page page = PageParameters.POSITIVE.of(request);
        return actions.subscribers(service, ServiceEndpoints.AGGREGATION.of(request))
                .thenApply(found -> NamingV3.WORDING.written(
                        page.shown(
                                found.rows().size(),
                                Rows.of(
                                        page.of(found.rows()),
                                        subscriber -> ServiceSubscriber.of(service, subscriber))),
                        found.silent()));
    }
}
