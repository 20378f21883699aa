package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRule;
import io.cairn.server.http.route.RequestCaller;
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
 * namespace below {@code /prometheus/namespaceId/}, and of one service below {@code …/service/}. Whoever asks gets what he
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
     * What a path asks for.
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

    public List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get(ALL, errors, request -> answer(request, List.copyOf(naming.namespaces()), null)),
                HttpRoute.get(NAMESPACE + "**", errors, request -> {
                    Wanted wanted = Wanted.of(request);
                    return answer(request, List.of(wanted.namespace()), wanted);
                }));
    }

    /** What each route needs; what may not be read is left out of the answers. */
    public static void addTo(HttpAccess access) {
        access.put(HttpRule.someAnywhere(Action.READ), "GET " + ALL);
        access.put(HttpRule.readable(PrometheusTargets::checkNamespace), "GET " + NAMESPACE + "**");
    }

    private static @Nullable Denial checkNamespace(AccessPolicy policy, Identity who, HttpRequest request) {
        return policy.checkEnter(who, Action.READ, Wanted.of(request).namespace(), ResourceType.NAMING);
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
        return JsonOutput.array(all, (instance, out) -> out.textList("targets", List.of(address(instance)))
                .texts("labels", labels(instance)));
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
