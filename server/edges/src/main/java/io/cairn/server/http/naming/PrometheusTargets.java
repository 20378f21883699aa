package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.RowSource;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.registry.RegistryView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * {@code /prometheus} lists all instances as targets of Prometheus's {@code http_sd_config}, {@code /prometheus/namespaceId/} a
 * namespace's, {@code …/service/} a service's. A caller gets the services that it may read.
 */
public final class PrometheusTargets {

    private static final String ALL = "/prometheus";
    private static final String NAMESPACE = ALL + "/namespaceId/";
    private static final String CLUSTER_LABEL = "__meta_clusterName";

    private final RegistryView reads;
    private final HttpErrors errors;
    private final Executor work;

    /** @param work a bounded pool for large answers */
    public PrometheusTargets(RegistryView reads, HttpErrors errors, Executor work) {
        this.reads = reads;
        this.errors = errors;
        this.work = work;
    }

    /**
     * The services of a path.
     *
     * @param service with or without its group; null for all
     */
    private record Wanted(Namespace namespace, @Nullable String service) {

        static Wanted of(HttpRequest request) {
            int at = request.path().lastIndexOf(NAMESPACE);
            String[] parts = at < 0
                    ? new String[0]
                    : request.path().substring(at + NAMESPACE.length()).split("/", -1);
            boolean isNamespace = parts.length == 1;
            boolean isService = parts.length == 3 && parts[1].equals("service") && !parts[2].isEmpty();
            if (!isNamespace && !isService || parts[0].isEmpty()) {
                throw new CairnException(
                        ErrorCode.NOT_FOUND,
                        "There is nothing at " + request.path() + " (expected: " + NAMESPACE
                                + "{namespaceId}, perhaps with /service/{service} behind it)");
            }
            return new Wanted(
                    Namespace.ofNullable(NamingParameters.decoded(parts[0])),
                    isService ? NamingParameters.decoded(parts[2]) : null);
        }

        boolean has(ServiceKey key) {
            return service == null || service.equals(key.name()) || service.equals(NamingWire.groupedName(key));
        }
    }

    /** One instance as the only target, with cluster and metadata as labels. */
    record Target(List<String> targets, Map<String, String> labels) {

        static Target of(Instance instance) {
            return new Target(List.of(address(instance)), PrometheusTargets.labels(instance));
        }
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(errors);
        return List.of(
                endpoints.get(
                        ALL,
                        Operation.of(Form.NONE)
                                .needs(Right.anywhere(Action.READ))
                                .answers(Answer.listOf(Target.class))
                                .as(Operation.Wrapping.BARE)
                                .says("Lists all instances as targets of Prometheus"),
                        request -> answer(request, List.copyOf(reads.namespaces()), null)),
                endpoints.get(
                        NAMESPACE + "**",
                        Operation.of(Form.NONE.as(Wanted::of))
                                .needs(Right.some(Action.READ, ResourceType.NAMING, Wanted::namespace))
                                .answers(Answer.listOf(Target.class))
                                .as(Operation.Wrapping.BARE)
                                .says("Lists the instances of a namespace or a service as targets of Prometheus"),
                        (wanted, request) -> answer(request, List.of(wanted.namespace()), wanted)));
    }

    private CompletionStage<HttpResponse> answer(
            HttpRequest request, Collection<Namespace> namespaces, @Nullable Wanted wanted) {
        Map<Namespace, ReadScope> readable = new LinkedHashMap<>();
        namespaces.forEach(namespace -> readable.put(namespace, RequestCaller.readableServices(request, namespace)));
        return CompletableFuture.supplyAsync(
                () -> HttpResponse.status(200)
                        .contentType(HttpResponse.JSON_UTF8)
                        .body(JsonText.of(Rows.of(new Targets(services(readable, wanted))))),
                work);
    }

    private List<ServiceKey> services(Map<Namespace, ReadScope> readable, @Nullable Wanted wanted) {
        List<ServiceKey> all = new ArrayList<>();
        readable.forEach((namespace, rows) -> reads.forEachServiceKey(namespace, service -> {
            if (rows.has(service) && (wanted == null || wanted.has(service))) {
                all.add(service);
            }
        }));
        return all;
    }

    private final class Targets implements RowSource<Target> {

        private final Iterator<ServiceKey> services;

        Targets(List<ServiceKey> services) {
            this.services = services.iterator();
        }

        @Override
        public List<Target> next(MemoryLease lease) {
            List<Target> some = new ArrayList<>();
            while (some.size() < TOGETHER && services.hasNext()) {
                reads.instances(services.next()).forEach(instance -> some.add(Target.of(instance)));
            }
            return some;
        }

        @Override
        public boolean isReady() {
            return true;
        }
    }

    private static String address(Instance instance) {
        String ip = instance.key().ip();
        boolean isBare = ip.indexOf(':') >= 0 && !ip.startsWith("[");
        return (isBare ? '[' + ip + ']' : ip) + ':' + instance.key().port();
    }

    /** Cluster and metadata under names that Prometheus accepts. */
    private static Map<String, String> labels(Instance instance) {
        Map<String, String> labels = new LinkedHashMap<>();
        instance.metadata().forEach((name, value) -> labels.put(labelName(name), value));
        labels.put(CLUSTER_LABEL, instance.key().cluster());
        return labels;
    }

    private static String labelName(String name) {
        StringBuilder label = new StringBuilder(name.length() + 1);
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean isDigit = c >= '0' && c <= '9';
            if (isDigit && i == 0) {
                label.append('_');
            }
            label.append(isDigit || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ? c : '_');
        }
        return label.isEmpty() ? "_" : label.toString();
    }
}
