package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Operation.Wrapping;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingCheck;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.view.ServiceSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The server lists of Nacos's address server. Administrators change them at {@code /v1/as/nodes}; anyone reads them beside the
 * context path, at {@code /{product}/{cluster}}. A list is a cluster of unchecked persistent instances of a service named after the
 * product. The list {@code nacos} / {@code serverlist} has this server's own nodes ({@link
 * io.cairn.server.http.core.ServerListEndpoint}) and cannot be changed.
 */
public final class AddressLists {

    private static final String NODES = "/v1/as/nodes";
    private static final String DEFAULT_PRODUCT = "nacos";
    private static final String DEFAULT_CLUSTER = "serverlist";
    /** Group and names of Nacos's address server, so that its lists are found after a migration. */
    private static final String SERVICE = "nacos.as.";

    private static final String SERVICE_OF_DEFAULT_PRODUCT = SERVICE + "default";
    private static final int DEFAULT_PORT = 8848;
    private static final int MOST_AT_ONCE = 1_000;
    private static final ClusterSettings UNCHECKED = new ClusterSettings("{\"type\":\"NONE\"}", 80, true, Map.of());

    private static final Operation<Change> ADD = Operation.of(Change.FORM)
            .needs(Right.admin())
            .answers("string")
            .as(Wrapping.TEXT)
            .says("Adds servers to a list of the address server");
    private static final Operation<Change> REMOVE = Operation.of(Change.FORM)
            .needs(Right.admin())
            .answers("string")
            .as(Wrapping.TEXT)
            .says("Removes servers from a list of the address server");
    private static final Operation<HttpRequest> READ = Operation.of(Form.NONE)
            .needs(Right.open())
            .answers("string")
            .as(Wrapping.TEXT)
            .says("Lists the servers of a cluster of a product, one on each line, beside the context path");

    private final RegistryView reads;
    private final StoredNaming stored;
    private final Endpoints endpoints;

    public AddressLists(RegistryView reads, StoredNaming stored, HttpErrors errors) {
        this.reads = reads;
        this.stored = stored;
        this.endpoints = new Endpoints(errors);
    }

    /** A request to add or remove servers; the action reads the servers. */
    private record Change(
            String product, String cluster, @Nullable String servers) {

        private static final Parameter<String> PRODUCT =
                Parameter.text("product", "The product of the list").orNone().orElse(DEFAULT_PRODUCT);
        private static final Parameter<String> CLUSTER =
                Parameter.text("cluster", "The cluster of the list").orNone().orElse(DEFAULT_CLUSTER);
        private static final Parameter<String> IPS = Parameter.exact(
                "ips", "The addresses, each with a port or without, separated by commas; at most 1,000");

        static final Form<Change> FORM = Form.of(PRODUCT, CLUSTER, IPS.required())
                .as(request -> new Change(PRODUCT.of(request), CLUSTER.of(request), IPS.orNull(request)));

        Key key() {
            NamingCheck.clusters(cluster);
            Key key = Key.of(product, cluster);
            NamingCheck.serviceName(key.service.name());
            if (product.contains("/") || cluster.contains(",")) {
                throw invalid("product: '" + product + "', cluster: '" + cluster + "' (expected: no / and no comma)");
            }
            if (product.equals(DEFAULT_PRODUCT) && cluster.equals(DEFAULT_CLUSTER)) {
                throw invalid(
                        "product: 'nacos', cluster: 'serverlist' is the list of the nodes of this server, which it makes"
                                + " by itself (expected: another product or cluster)");
            }
            return key;
        }

        List<InstanceKey> instances() {
            if (servers == null || servers.isBlank()) {
                throw invalid("ips must not be empty.");
            }
            List<InstanceKey> instances = new ArrayList<>();
            for (String server : servers.split(",")) {
                instances.add(instance(server.trim()));
            }
            if (instances.size() > MOST_AT_ONCE) {
                throw invalid("ips: " + instances.size() + " (expected: at most " + MOST_AT_ONCE + ")");
            }
            return instances;
        }

        private InstanceKey instance(String server) {
            int colon = server.lastIndexOf(':');
            boolean isIpv6 = server.indexOf(':') != colon;
            boolean hasPort = colon > 0 && (!isIpv6 || server.charAt(colon - 1) == ']');
            String host = hasPort ? server.substring(0, colon) : server;
            String ip = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
            if (ip.isEmpty()) {
                throw invalid("ips: '" + servers
                        + "' (expected: addresses, each with a port or without, separated by commas)");
            }
            return NamingParameters.checkedKey(
                    ip, hasPort ? NamingCheck.port(server.substring(colon + 1)) : DEFAULT_PORT, cluster);
        }
    }

    private record Key(ServiceKey service, String cluster) {

        static Key of(String product, String cluster) {
            String name = product.equals(DEFAULT_PRODUCT) ? SERVICE_OF_DEFAULT_PRODUCT : SERVICE + product;
            return new Key(new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, name), cluster);
        }

        /** The list of a path with two parts, else null. */
        static @Nullable Key ofPath(String path) {
            int slash = path.indexOf('/', 1);
            return slash < 2 || slash == path.length() - 1 || path.indexOf('/', slash + 1) >= 0
                    ? null
                    : of(path.substring(1, slash), path.substring(slash + 1));
        }
    }

    public List<HttpRoute> routes() {
        return List.of(
                endpoints.post(NODES, ADD, this::add),
                endpoints.delete(NODES, REMOVE, this::remove),
                endpoints.get("/{product}/{cluster}", READ, this::read).serving(path -> find(path) != null));
    }

    private CompletionStage<HttpResponse> add(Change change, HttpRequest http) {
        Key key = change.key();
        List<InstanceKey> instances = change.instances();
        Caller by = RequestCaller.of(http);
        Map<String, String> metadata = Map.of("app", change.product, "tenant", Namespace.DEFAULT.id());
        return prepare(by, key)
                .thenCompose(done -> each(
                        instances,
                        instance -> stored.register(
                                by, key.service, new Instance(instance, 1, true, true, false, metadata, null))))
                .thenApply(done -> text(
                        200,
                        "product=" + change.product + ",cluster=" + change.cluster + "; put success with size="
                                + instances.size()));
    }

    /** Creates the service and its cluster without a health check. */
    private CompletionStage<Void> prepare(Caller by, Key key) {
        ServiceSnapshot known = reads.find(key.service);
        if (known == null) {
            return stored.createService(
                    by, key.service, ServiceSettings.ofKind(false).withCluster(key.cluster, UNCHECKED));
        }
        return known.settings().clusters().containsKey(key.cluster)
                ? CompletableFuture.completedFuture(null)
                : stored.updateService(
                        by,
                        key.service,
                        settings -> settings.clusters().containsKey(key.cluster)
                                ? settings
                                : settings.withCluster(key.cluster, UNCHECKED));
    }

    private CompletionStage<HttpResponse> remove(Change change, HttpRequest http) {
        Key key = change.key();
        if (reads.find(key.service) == null) {
            return CompletableFuture.completedFuture(text(404, "product=" + change.product + " not found."));
        }
        Caller by = RequestCaller.of(http);
        return each(change.instances(), instance -> stored.deregister(by, key.service, instance, LossCause.REMOVED))
                .thenApply(done ->
                        text(200, "product=" + change.product + ", cluster=" + change.cluster + " delete success."));
    }

    private CompletionStage<HttpResponse> read(HttpRequest request) {
        Key key = find(request.path());
        if (key == null) {
            throw new CairnException(ErrorCode.NOT_FOUND, "There is no list at " + request.path());
        }
        String servers = reads.snapshot(key.service).published().stream()
                .filter(instance -> instance.key().cluster().equals(key.cluster))
                .map(instance -> address(instance.key()) + '\n')
                .collect(Collectors.joining());
        return CompletableFuture.completedFuture(text(200, servers));
    }

    private @Nullable Key find(String path) {
        Key key = Key.ofPath(path);
        if (key == null) {
            return null;
        }
        ServiceSettings settings = reads.storedSettings(key.service);
        return settings != null && settings.clusters().containsKey(key.cluster) ? key : null;
    }

    private static String address(InstanceKey instance) {
        String ip = instance.ip();
        return (ip.indexOf(':') < 0 ? ip : '[' + ip + ']') + ':' + instance.port();
    }

    /** In sequence, because each is a change of the same service. */
    private static CompletionStage<Void> each(
            List<InstanceKey> instances, Function<InstanceKey, CompletionStage<Void>> change) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (InstanceKey instance : instances) {
            all = all.thenCompose(done -> change.apply(instance));
        }
        return all;
    }

    private static HttpResponse text(int status, String text) {
        return HttpResponse.of(status, HttpResponse.TEXT, text);
    }

    private static CairnException invalid(String text) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, text);
    }
}
