package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.NamingService;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * {@code /prometheus}: all instances as targets that Prometheus discovers by HTTP ({@code http_sd_config}), those of one
 * namespace below {@code /prometheus/namespaceId/}, and of one service below {@code …/service/}. A caller gets the services that it
 * may read.
 */
public final class PrometheusTargets {

    private static final String ALL = "/prometheus";
    private static final String NAMESPACE = ALL + "/namespaceId/";
    private static final String CLUSTER_LABEL = "__meta_clusterName";

    private final NamingService naming;
    private final HttpErrors errors;
    private final Executor work;

    /** @param work a bounded pool, for the answer may be large */
    public PrometheusTargets(NamingService naming, HttpErrors errors, Executor work) {
        this.naming = naming;
        this.errors = errors;
        this.work = work;
    }

    /**
     * The services that a path names.
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

    /** One instance: its address as the only target, and its cluster and metadata as labels. */
    record Target(List<String> targets, Map<String, String> labels) {

        static Target of(Instance instance) {
            return new Target(List.of(address(instance)), PrometheusTargets.labels(instance));
        }
    }

    /** The routes; services that the caller may not read are left out of the responses. */
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
                        request -> answer(request, List.copyOf(naming.namespaces()), null)),
                endpoints.get(
                        NAMESPACE + "**",
                        Operation.of(Form.of("", Wanted::of))
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
                        .body(targets(readable, wanted)),
                work);
    }

    private byte[] targets(Map<Namespace, ReadScope> readable, @Nullable Wanted wanted) {
        List<Instance> all = new ArrayList<>();
        readable.forEach((namespace, rows) -> naming.forEachServiceKey(namespace, service -> {
            if (rows.has(service) && (wanted == null || wanted.has(service))) {
                all.addAll(naming.instances(service));
            }
        }));
        return JsonBody.of(all.stream().map(Target::of).iterator());
    }

    private static String address(Instance instance) {
        String ip = instance.key().ip();
        boolean isBare = ip.indexOf(':') >= 0 && !ip.startsWith("[");
        return (isBare ? '[' + ip + ']' : ip) + ':' + instance.key().port();
    }

    /** Its cluster and its metadata, under names that Prometheus takes. */
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
