package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.BridgeServer.Dialect;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.ServiceSettings;
import io.cairn.cli.migrate.ServiceState;
import io.cairn.cli.migrate.ServiceStore;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The services of a server: read over HTTP, because lists for clients lack disabled instances. */
final class BridgeServices implements ServiceStore, AutoCloseable {

    private static final String INSTANCE = "/v1/ns/instance";

    private static final Duration REREAD_AFTER = Duration.ofMinutes(10);

    private static final int REREADS = 20;

    private final BridgeServer server;
    private final BridgeLink link;
    private final @Nullable LeasedCopies leases;
    private final boolean v3;
    /** Lists of a Nacos lack settings. */
    private final boolean listsAll;
    /** By the item of the list, which lacks the kind of the instances. */
    private final Map<ServiceKey, Read> read = new HashMap<>();

    private final Map<Namespace, Map<ServiceKey, List<Instance>>> kept = new HashMap<>();

    private record Read(String item, ServiceState state, long nanos) {}

    BridgeServices(BridgeServer server, BridgeLink link) {
        this(server, link, null);
    }

    private BridgeServices(BridgeServer server, BridgeLink link, @Nullable Consumer<String> ofLeases) {
        this.server = server;
        this.link = link;
        v3 = server.dialect() == Dialect.V3;
        listsAll = server.isCairn();
        leases = ofLeases == null
                ? null
                : LeasedCopies.beating(server, key -> read(key).instances(), link::reconnections, ofLeases);
    }

    /** Leases copies at a Nacos, which would end all copies of a connection with it. */
    static BridgeServices following(BridgeServer server, BridgeLink link, Consumer<String> notices) {
        return new BridgeServices(server, link, server.isCairn() ? null : notices);
    }

    private static String full(ServiceKey key) {
        return key.group() + "@@" + key.name();
    }

    private static Map<String, String> keyed(ServiceKey key) {
        return parameters(
                "serviceName",
                key.name(),
                "groupName",
                key.group(),
                "namespaceId",
                key.namespace().id());
    }

    private static Map<String, String> joined(ServiceKey key) {
        return parameters(
                "serviceName", full(key), "namespaceId", key.namespace().id());
    }

    @Override
    public void list(Namespace namespace, Consumer<ServiceState> each) {
        AtomicInteger rereads = new AtomicInteger(REREADS);
        Set<ServiceKey> listed = new HashSet<>();
        ServiceItems.list(server, namespace, (key, item) -> {
            listed.add(key);
            each.accept(listsAll ? state(key, item) : known(key, item, rereads));
        });
        read.keySet().removeIf(key -> key.namespace().equals(namespace) && !listed.contains(key));
    }

    private static ServiceState state(ServiceKey key, Object item) {
        List<Instance> instances = new ArrayList<>();
        Json.fields(Json.fields(item).get("clusterMap")).forEach((cluster, described) -> {
            for (Object host : Json.items(Json.fields(described).get("hosts"))) {
                instances.add(instance(
                        host, cluster, Boolean.TRUE.equals(Json.fields(item).get("ephemeral"))));
            }
        });
        return new ServiceState(key, settings(item), instances);
    }

    private ServiceState known(ServiceKey key, Object item, AtomicInteger rereads) {
        String text = Json.write(item);
        Read before = read.get(key);
        long now = System.nanoTime();
        if (before != null
                && before.item().equals(text)
                && (now - before.nanos() < REREAD_AFTER.toNanos() || rereads.getAndDecrement() <= 0)) {
            return before.state();
        }
        ServiceState state = read(key);
        // The list may be older by many requests.
        if (shape(state).equals(shape(state(key, item)))) {
            read.put(key, new Read(text, state, now));
        } else {
            read.remove(key);
        }
        return state;
    }

    private static Map<InstanceKey, List<Object>> shape(ServiceState state) {
        Map<InstanceKey, List<Object>> shape = new HashMap<>();
        state.instances()
                .forEach(each ->
                        shape.put(each.key(), List.of(each.weight(), each.healthy(), each.enabled(), each.metadata())));
        return shape;
    }

    private ServiceState detailed(ServiceKey key, Iterable<String> clusters, ServiceSettings settings) {
        List<Instance> instances = new ArrayList<>();
        for (String cluster : clusters) {
            for (int page = 1; ; page++) {
                Map<String, String> asked = joined(key);
                asked.putAll(
                        parameters("clusterName", cluster, "pageNo", "" + page, "pageSize", "" + ServiceItems.PAGE));
                List<?> hosts = server.find("/v1/ns/catalog/instances", asked)
                        .<List<?>>map(text ->
                                Json.items(Json.fields(server.json(text)).get("list")))
                        .orElse(List.of());
                hosts.forEach(host -> instances.add(instance(host, cluster, true)));
                if (hosts.size() < ServiceItems.PAGE) {
                    break;
                }
            }
        }
        return new ServiceState(key, settings, instances);
    }

    private static ServiceSettings settings(@Nullable Object item) {
        String threshold = Json.text(item, "protectThreshold");
        Object selector = Json.fields(item).get("selector");
        String type = Json.text(selector, "type");
        return new ServiceSettings(
                threshold.isEmpty() ? 0 : Double.parseDouble(threshold),
                metadata(item),
                type.isEmpty() || type.equals("none")
                        ? ""
                        : Json.write(parameters("type", type, "expression", Json.text(selector, "expression"))));
    }

    private static Map<String, String> metadata(@Nullable Object item) {
        Map<String, String> metadata = new LinkedHashMap<>();
        Json.fields(Json.fields(item).get("metadata"))
                .forEach((name, value) -> metadata.put(name, value == null ? "" : value.toString()));
        return metadata;
    }

    private static Instance instance(Object host, String cluster, boolean ephemeral) {
        Map<String, @Nullable Object> fields = Json.fields(host);
        Object kind = fields.get("ephemeral");
        return new Instance(
                new InstanceKey(Json.text(host, "ip"), Integer.parseInt(Json.text(host, "port")), cluster),
                Double.parseDouble(Json.text(host, "weight")),
                Boolean.TRUE.equals(fields.containsKey("healthy") ? fields.get("healthy") : fields.get("valid")),
                Boolean.TRUE.equals(fields.get("enabled")),
                kind == null ? ephemeral : Boolean.TRUE.equals(kind),
                metadata(host),
                null);
    }

    @Override
    public ServiceState read(ServiceKey key) {
        return v3 ? read3(key) : read1(key);
    }

    private ServiceState read3(ServiceKey key) {
        HttpResponse<String> found = server.send(
                asked -> asked.request("/v3/admin/ns/service", keyed(key)).GET());
        if (isAbsent(found)) {
            return ServiceState.absent(key);
        }
        Object described = server.data(found);
        HttpResponse<String> hosts = server.send(
                asked -> asked.request("/v3/admin/ns/instance/list", keyed(key)).GET());
        List<Instance> instances = new ArrayList<>();
        for (Object host : isAbsent(hosts) ? List.of() : Json.items(server.data(hosts))) {
            instances.add(instance(host, Json.text(host, "clusterName"), true));
        }
        return new ServiceState(key, settings(described), instances);
    }

    /** 21008 is "service not exist", which Nacos also sends with status 400. */
    private static boolean isAbsent(HttpResponse<String> response) {
        return response.statusCode() == 404
                || response.statusCode() == 400 && response.body().contains("21008");
    }

    private ServiceState read1(ServiceKey key) {
        HttpResponse<String> found = server.send(
                asked -> asked.request("/v1/ns/catalog/service", joined(key)).GET());
        if (found.statusCode() == 404 || found.body().contains("is not found")) {
            return ServiceState.absent(key);
        }
        Object described = server.json(server.text(found));
        List<String> clusters = Json.items(Json.fields(described).get("clusters")).stream()
                .map(cluster -> Json.text(cluster, "name"))
                .toList();
        return detailed(key, clusters, settings(Json.fields(described).get("service")));
    }

    @Override
    public Map<InstanceKey, Integer> publishers(ServiceKey key) {
        String path = v3 ? "/v3/admin/ns/client/service/publisher/list" : "/v2/ns/client/service/publisher/list";
        HttpResponse<String> response =
                server.send(asked -> asked.request(path, keyed(key)).GET());
        Map<InstanceKey, Integer> counts = new HashMap<>();
        if (response.statusCode() != 200) {
            return counts;
        }
        for (Object publisher : Json.items(server.data(response))) {
            String cluster = Json.text(publisher, "clusterName");
            counts.merge(
                    new InstanceKey(
                            Json.text(publisher, "ip"),
                            Integer.parseInt(Json.text(publisher, "port")),
                            cluster.isEmpty() ? Json.text(publisher, "cluster") : cluster),
                    1,
                    Integer::sum);
        }
        return counts;
    }

    @Override
    public void saveSettings(ServiceKey key, ServiceSettings settings, boolean exists) {
        Map<String, String> form = keyed(key);
        form.put("protectThreshold", String.valueOf(settings.protectThreshold()));
        form.put("metadata", Json.write(settings.metadata()));
        if (!settings.selector().isEmpty()) {
            form.put("selector", settings.selector());
        }
        String path = v3 ? "/v3/admin/ns/service" : "/v1/ns/service";
        server.text(server.send(asked -> asked.form(exists ? "PUT" : "POST", path, form)));
    }

    @Override
    public void mirror(ServiceKey key, List<Instance> instances) {
        if (!key.group().equals(Origin.BRIDGES)) {
            kept.remove(key.namespace());
        }
        boolean isLinked = link.registers() && (key.group().equals(Origin.BRIDGES) || link.isMirrored(key));
        if (leases == null) {
            link.mirror(key, instances);
        } else if (isLinked || !leases.mirror(key, instances)) {
            link.mirror(key, instances);
            // After the new ones, so that an instance of both stays without a gap.
            leases.end(key);
        }
    }

    @Override
    public void withdrawLeft(Namespace namespace, String from) {
        LeasedCopies leased = leases;
        if (leased != null) {
            list(namespace, state -> leased.withdrawLeft(state, from));
        }
    }

    @Override
    public Map<ServiceKey, List<Instance>> keepLeft(
            Namespace namespace, String from, BiPredicate<ServiceKey, InstanceKey> isPersistent) {
        Map<ServiceKey, List<Instance>> before = kept.get(namespace);
        if (before != null) {
            // A new list lacks copies behind instances of clients.
            return before;
        }
        Map<ServiceKey, List<Instance>> left = new LinkedHashMap<>();
        ServiceItems.list(server, namespace, (key, item) -> {
            List<Instance> copies = state(key, item).instances().stream()
                    .filter(instance ->
                            from.equals(instance.metadata().get(Origin.MARK)) && (!v3 || instance.ephemeral()))
                    .filter(instance -> !isPersistent.test(key, instance.key()))
                    .map(BridgeServices::ephemeral)
                    .toList();
            if (!copies.isEmpty()) {
                left.put(key, leases == null ? copies : LeasedCopies.asRegistered(copies));
            }
        });
        left.forEach((key, copies) -> {
            if (leases == null) {
                link.mirror(key, copies);
            } else {
                leases.adopt(key, copies);
            }
        });
        kept.put(namespace, left);
        return left;
    }

    private static Instance ephemeral(Instance copy) {
        return new Instance(copy.key(), copy.weight(), copy.healthy(), copy.enabled(), true, copy.metadata(), null);
    }

    @Override
    public boolean mayLoseMarks() {
        return leases == null;
    }

    @Override
    public long reconnections() {
        return link.reconnections();
    }

    @Override
    public boolean hasLostConnection() {
        return link.hasLostConnection();
    }

    @Override
    public void close() {
        if (leases != null) {
            leases.close();
        }
    }

    private static Map<String, String> persistent(ServiceKey key, Instance instance) {
        Map<String, String> form = keyed(key);
        form.putAll(parameters(
                "ip",
                instance.key().ip(),
                "port",
                String.valueOf(instance.key().port()),
                "clusterName",
                instance.key().cluster(),
                "ephemeral",
                "false"));
        return form;
    }

    @Override
    public void registerPersistent(ServiceKey key, Instance instance) {
        Map<String, String> form = persistent(key, instance);
        form.putAll(parameters(
                "weight",
                String.valueOf(instance.weight()),
                "enabled",
                String.valueOf(instance.enabled()),
                "metadata",
                Json.write(instance.metadata())));
        server.post(INSTANCE, form);
    }

    @Override
    public void deregisterPersistent(ServiceKey key, Instance instance) {
        server.delete(INSTANCE, persistent(key, instance));
    }

    @Override
    public void watch(ServiceKey key, Consumer<ServiceKey> changed) {
        link.watch(key, changed);
    }
}
