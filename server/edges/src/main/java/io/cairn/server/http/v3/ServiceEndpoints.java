package io.cairn.server.http.v3;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.InstanceLosses;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.subscription.Subscriber;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Services and the settings of their clusters, for administration and for consoles. */
final class ServiceEndpoints {

    private static final String ADMIN = "/v3/admin/ns";
    private static final String CONSOLE = "/v3/console/ns";

    private static final CompletionStage<HttpResponse> SELECTOR_TYPES =
            V3.data(NamingJson.SELECTOR_TYPES.getBytes(StandardCharsets.UTF_8));

    private static final OldOperation LIST = OldOperation.of(
            "Lists services: those of a name, group, address or health (ill, down, protected), in the order of name, group,"
                    + " instances, healthy or health",
            "namespaceId serviceNameParam groupNameParam ignoreEmptyService:boolean withInstances:boolean instance"
                    + " health sort order pageNo:integer pageSize:integer",
            "object");

    private final NamingService naming;
    private final ServiceActions actions;
    private final EnvelopeErrors errors;

    ServiceEndpoints(NamingService naming, ServiceActions actions, ContainerErrors container) {
        this.naming = naming;
        this.actions = actions;
        this.errors = V3.errors(container);
    }

    List<HttpRoute> adminRoutes() {
        List<HttpRoute> routes = new ArrayList<>(routes(ADMIN));
        routes.add(HttpRoute.put(ADMIN + "/cluster", errors, this::updateCluster));
        return routes;
    }

    List<HttpRoute> consoleRoutes() {
        List<HttpRoute> routes = new ArrayList<>(routes(CONSOLE));
        routes.add(HttpRoute.put(CONSOLE + "/service/cluster", errors, this::updateCluster));
        return routes;
    }

    private List<HttpRoute> routes(String base) {
        String path = base + "/service";
        return List.of(
                HttpRoute.post(path, errors, this::create),
                HttpRoute.put(path, errors, this::update),
                HttpRoute.delete(path, errors, this::remove),
                HttpRoute.get(path, errors, this::get),
                HttpRoute.get(path + "/list", errors, this::list).does(LIST),
                HttpRoute.get(path + "/subscribers", errors, this::subscribers),
                HttpRoute.get(path + "/selector/types", errors, request -> SELECTOR_TYPES));
    }

    private CompletionStage<HttpResponse> create(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        return V3.ok(actions.create(service, request, NamingParameters.flag(request, "ephemeral", false)));
    }

    private CompletionStage<HttpResponse> update(HttpRequest request) {
        return V3.ok(actions.update(NamingParameters.service(request), request));
    }

    private CompletionStage<HttpResponse> remove(HttpRequest request) {
        return V3.ok(actions.remove(NamingParameters.service(request), RequestCaller.of(request)));
    }

    private CompletionStage<HttpResponse> updateCluster(HttpRequest request) {
        return V3.ok(actions.updateCluster(NamingParameters.service(request), request));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        List<InstanceLosses.Loss> losses = naming.losses().of(service);
        ServiceSnapshot found = naming.find(service);
        if (found == null && !losses.isEmpty()) {
            // Why it is gone is what somebody who asks for it wants to know.
            InstanceLosses.Loss last = losses.get(0);
            throw new NamingException(
                    NamingException.Fault.SERVICE_ABSENT,
                    "service not found, namespace: " + service.namespace().id() + ", serviceName: "
                            + NamingWire.groupedName(service) + "; it lost " + last.count() + " of its instances at "
                            + Instant.ofEpochMilli(last.atMillis()) + ": "
                            + last.cause().text());
        }
        return V3.data(detail(found == null ? actions.get(service) : found, losses));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        ServiceActions.Search search =
                ServiceActions.Search.readSorted(request, NamingParameters.flag(request, "ignoreEmptyService", false));
        Page page = NamingParameters.positivePage(request, V3.PAGE_SIZE);
        Namespace namespace = NamingParameters.namespace(request);
        boolean withInstances = NamingParameters.flag(request, "withInstances", false);
        return actions.search(namespace, search, RequestCaller.readableServices(request, namespace), page)
                .thenCompose(found -> {
                    List<byte[]> items = new ArrayList<>();
                    for (ServiceSnapshot service : found.shown()) {
                        items.add(withInstances ? detail(service, null) : summary(service));
                    }
                    return V3.page(page, found.total(), NamingJson.array(items));
                });
    }

    private byte[] summary(ServiceSnapshot service) {
        JsonOutput out = new JsonOutput(192);
        NamingJson.summary(naming, service, out);
        return out.toBytes();
    }

    /** @param losses null for a list, which has the instances instead */
    private static byte[] detail(ServiceSnapshot service, @Nullable List<InstanceLosses.Loss> losses) {
        boolean withHosts = losses == null;
        ServiceSettings settings = service.settings();
        JsonOutput clusters = new JsonOutput(256);
        Set<String> names = new TreeSet<>(NamingJson.clusters(service));
        names.addAll(settings.clusters().keySet());
        for (String name : names) {
            clusters.json(name, cluster(service, name, withHosts));
        }
        JsonOutput out = new JsonOutput(512)
                .text("namespaceId", service.service().namespace().id())
                .text("serviceName", service.service().name())
                .text("groupName", service.service().group())
                .json("clusterMap", clusters.toBytes())
                .texts("metadata", settings.metadata())
                .decimal("protectThreshold", settings.protectThreshold())
                .json("selector", NamingJson.selector(settings.selector()))
                .flag("ephemeral", service.isEphemeral());
        if (losses != null && !losses.isEmpty()) {
            out.json("losses", NamingJson.losses(losses));
        }
        return out.toBytes();
    }

    private static byte[] cluster(ServiceSnapshot service, String name, boolean withHosts) {
        ClusterSettings settings = service.settings().cluster(name);
        JsonOutput out = new JsonOutput(256)
                .text("clusterName", name)
                .json("healthChecker", settings.healthChecker().getBytes(StandardCharsets.UTF_8))
                .number("healthyCheckPort", settings.checkPort())
                .flag("useInstancePortForCheck", settings.useInstancePort())
                .texts("metadata", settings.metadata());
        if (withHosts) {
            List<Instance> hosts = new ArrayList<>();
            for (Instance instance : service.instances()) {
                if (instance.key().cluster().equals(name)) {
                    hosts.add(instance);
                }
            }
            out.json("hosts", NamingJson.instances(hosts, service.service()));
        } else {
            out.json("hosts", "null");
        }
        return out.toBytes();
    }

    private CompletionStage<HttpResponse> subscribers(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        Page page = NamingParameters.positivePage(request, V3.PAGE_SIZE);
        ServiceActions.Listed<Subscriber> found = actions.subscribers(service, page);
        List<byte[]> items = new ArrayList<>();
        for (Subscriber subscriber : found.shown()) {
            JsonOutput item = new JsonOutput(192)
                    .text("namespaceId", service.namespace().id())
                    .text("groupName", service.group())
                    .text("serviceName", service.name())
                    .text("ip", subscriber.ip())
                    .number("port", subscriber.port())
                    .text("agent", subscriber.agent())
                    .text("appName", subscriber.app());
            if (!subscriber.clusters().isEmpty()) {
                item.text("clusters", subscriber.clusters());
            }
            items.add(item.toBytes());
        }
        return V3.page(page, found.total(), NamingJson.array(items));
    }
}
