package io.cairn.server.naming;

import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.NamingWrite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The expected state of the registry, in the simplest form: lists that are searched from start to end, and one clock.
 */
final class RegistryModel {

    static final long EMPTY_SERVICE_MILLIS = 60_000;
    static final long RECOVERY_MILLIS = 15_000;
    private static final long LONGEST_MILLIS = 180_000;

    private static final long NEVER = Long.MAX_VALUE;

    final Map<ServiceKey, Service> services = new HashMap<>();
    /** Labels by address. */
    final Map<String, Map<String, String>> labels = new HashMap<>();

    private final Set<String> connections = new TreeSet<>();
    private final boolean expireInstances;
    private long nowMillis;
    private long sequence;
    /** When the server was started. */
    private long beganMillis;
    /** When an instance was last registered that was listed without its client. */
    private long returnedMillis;
    /** For how long instances are listed without their clients, by the id of their publisher. */
    private final Map<String, Window> windows = new HashMap<>();

    RegistryModel(boolean expireInstances) {
        this.expireInstances = expireInstances;
    }

    private final class Window {

        private final long sinceMillis;
        private final long latestMillis;
        private final long lengthMillis;

        Window(long lengthMillis, long latestMillis) {
            this.sinceMillis = nowMillis;
            this.lengthMillis = lengthMillis;
            this.latestMillis = latestMillis;
        }

        long endMillis() {
            return Math.min(latestMillis, Math.max(sinceMillis, returnedMillis) + lengthMillis);
        }
    }

    static final class Service {

        boolean ephemeral;
        ServiceSettings settings;
        final Map<InstanceKey, InstanceOverride> overrides = new HashMap<>();
        final Map<String, Published> publications = new LinkedHashMap<>();
        private long cleanAtMillis = NEVER;

        Service(boolean ephemeral) {
            this.ephemeral = ephemeral;
        }

        int instances() {
            return publications.values().stream()
                    .mapToInt(published -> published.instances.size())
                    .sum();
        }
    }

    /** The instances of a service that one publisher has registered. */
    final class Published {

        Publisher.Kind kind;
        List<Instance> instances = List.of();
        /** Whether it has taken the place of instances that were listed without their client. */
        private boolean isReturned;

        Instance stored;
        private long sequence;
        private long lastBeatMillis;
        /** Whether it is known from before a restart, and its client has sent no heartbeat since. */
        private boolean isAwaited;

        Published(Publisher.Kind kind) {
            this.kind = kind;
        }

        private Instance only() {
            return instances.get(0);
        }

        private long overdueAt() {
            return silentSince() + only().beatTimeout().toMillis();
        }

        private long removedAt() {
            return silentSince() + only().deleteTimeout().toMillis();
        }

        private long silentSince() {
            long latest =
                    lastBeatMillis + LONGEST_MILLIS - only().deleteTimeout().toMillis();
            return isAwaited ? Math.max(lastBeatMillis, Math.min(returnedMillis, latest)) : lastBeatMillis;
        }

        private void beat() {
            returnedMillis = isAwaited ? nowMillis : returnedMillis;
            isAwaited = false;
            lastBeatMillis = nowMillis;
        }
    }

    ErrorCode register(String connection, ServiceKey service, List<Instance> instances) {
        connections.add(connection);
        return publish(connection, Publisher.Kind.CONNECTION, service, instances);
    }

    void deregister(String publisher, ServiceKey service) {
        Service found = services.get(service);
        if (found != null && found.publications.remove(publisher) != null && found.publications.isEmpty()) {
            cleanLater(found);
        }
    }

    /** The client of a remembered instance reconnects only to deregister it. */
    void forgetRecovered(ServiceKey service, InstanceKey instance) {
        Service found = services.get(service);
        if (found != null) {
            forgetRecovered(found, known -> known.ip().equals(instance.ip()) && known.port() == instance.port());
        }
    }

    /** Returns whether there was one. */
    private boolean forgetRecovered(Service service, Predicate<InstanceKey> isBack) {
        boolean[] isEmptied = {false};
        int before = service.instances();
        service.publications.values().removeIf(other -> {
            if (other.kind != Publisher.Kind.RECOVERED) {
                return false;
            }
            other.instances = other.instances.stream()
                    .filter(instance -> !isBack.test(instance.key()))
                    .toList();
            isEmptied[0] |= other.instances.isEmpty();
            return other.instances.isEmpty();
        });
        if (isEmptied[0] && service.publications.isEmpty()) {
            cleanLater(service);
        }
        return service.instances() < before;
    }

    /** Soon after a start, instances stay that were remembered before the connection registered them. */
    void close(String connection, String sdk) {
        connections.remove(connection);
        long length = recoveryMillis(sdk);
        if (nowMillis < Math.min(beganMillis + LONGEST_MILLIS, Math.max(beganMillis, returnedMillis) + length)) {
            for (Service service : services.values()) {
                Published published = service.publications.get(connection);
                if (published != null && published.isReturned) {
                    leave(service, published);
                    windows.put(
                            connection, new Window(length, Math.max(beganMillis + LONGEST_MILLIS, nowMillis + length)));
                }
            }
        }
        services.forEach((key, service) -> {
            Published published = service.publications.get(connection);
            if (published != null && (published.kind != Publisher.Kind.RECOVERED || published.instances.isEmpty())) {
                deregister(connection, key);
            }
        });
    }

    /** Those stay that no other publisher has registered since. */
    private void leave(Service service, Published published) {
        published.kind = Publisher.Kind.RECOVERED;
        published.instances = published.instances.stream()
                .filter(instance -> service.publications.values().stream()
                        .noneMatch(other -> other.kind != Publisher.Kind.RECOVERED
                                && other.sequence > published.sequence
                                && other.instances.stream()
                                        .anyMatch(each -> each.key().equals(instance.key()))))
                .toList();
    }

    private void withdrawAll(String publisher) {
        services.keySet().forEach(service -> deregister(publisher, service));
    }

    ErrorCode registerOverHttp(ServiceKey service, Instance instance) {
        String publisher = beating(instance.key());
        ErrorCode failure = publish(publisher, Publisher.Kind.HTTP, service, List.of(instance));
        if (failure == null) {
            services.get(service).publications.get(publisher).beat();
        }
        return failure;
    }

    boolean knowsBeating(ServiceKey service, InstanceKey instance) {
        Service found = services.get(service);
        return found != null && found.publications.containsKey(beating(instance));
    }

    void beat(ServiceKey service, InstanceKey instance) {
        Published published = services.get(service).publications.get(beating(instance));
        published.beat();
        published.instances = List.of(published.only().withHealthy(true));
    }

    ErrorCode registerPersistent(ServiceKey service, Instance instance, boolean stored) {
        Service found = services.computeIfAbsent(service, absent -> new Service(false));
        if (!takeKind(found, false)) {
            return ErrorCode.INVALID_PARAMETER;
        }
        cleanLater(found);
        if (!stored) {
            return ErrorCode.UNAVAILABLE;
        }
        publish(persistent(instance.key()), Publisher.Kind.PERSISTENT, service, List.of(instance));
        found.publications.get(persistent(instance.key())).stored = instance;
        return null;
    }

    void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy) {
        Published published = services.get(service).publications.get(persistent(instance));
        published.instances = List.of(published.only().withHealthy(healthy));
    }

    private ErrorCode publish(String publisher, Publisher.Kind kind, ServiceKey service, List<Instance> instances) {
        boolean ephemeral = kind != Publisher.Kind.PERSISTENT;
        Service found = services.computeIfAbsent(service, absent -> new Service(ephemeral));
        if (!takeKind(found, ephemeral)) {
            return ErrorCode.INVALID_PARAMETER;
        }
        Published known = found.publications.get(publisher);
        if (known != null && known.instances.equals(instances)) {
            return null;
        }
        Published published = found.publications.computeIfAbsent(publisher, absent -> new Published(kind));
        published.instances = List.copyOf(instances);
        published.sequence = ++sequence;
        if (kind != Publisher.Kind.RECOVERED) {
            Set<InstanceKey> back = new HashSet<>();
            instances.forEach(instance -> back.add(instance.key()));
            if (forgetRecovered(found, back::contains)) {
                published.isReturned = true;
                returnedMillis = nowMillis;
            }
        }
        return null;
    }

    private static boolean takeKind(Service service, boolean ephemeral) {
        if (service.ephemeral != ephemeral) {
            if (service.settings != null || !service.publications.isEmpty()) {
                return false;
            }
            service.ephemeral = ephemeral;
        }
        return true;
    }

    static String beating(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#true";
    }

    static String persistent(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#false";
    }

    void settings(ServiceKey service, ServiceSettings settings) {
        Service found = services.computeIfAbsent(service, absent -> new Service(settings.ephemeral()));
        found.settings = settings;
        if (found.publications.isEmpty()) {
            found.ephemeral = settings.ephemeral();
            cleanLater(found);
        }
    }

    void remove(ServiceKey service) {
        Service found = services.get(service);
        if (found.publications.isEmpty()) {
            services.remove(service);
        } else {
            // A publisher without instances keeps the service, but its settings and overrides are removed.
            found.settings = null;
            found.overrides.clear();
        }
    }

    InstanceOverride override(ServiceKey service, InstanceKey instance) {
        Service found = services.get(service);
        return found == null ? InstanceOverride.NONE : found.overrides.getOrDefault(instance, InstanceOverride.NONE);
    }

    void override(ServiceKey service, InstanceKey instance, InstanceOverride now) {
        Service found = services.computeIfAbsent(service, absent -> new Service(true));
        if (now.isNone()) {
            found.overrides.remove(instance);
        } else {
            found.overrides.put(instance, now);
        }
        if (found.publications.isEmpty()) {
            cleanLater(found);
        }
    }

    private void cleanLater(Service service) {
        service.cleanAtMillis = nowMillis + EMPTY_SERVICE_MILLIS;
    }

    void pass(long millis) {
        long end = nowMillis + millis;
        while (true) {
            long next = nextEvent();
            if (next > end) {
                nowMillis = end;
                return;
            }
            nowMillis = next;
            happen();
        }
    }

    private long nextEvent() {
        long next = windows.values().stream().mapToLong(Window::endMillis).min().orElse(NEVER);
        for (Service service : services.values()) {
            next = Math.min(next, service.cleanAtMillis);
            for (Published published : service.publications.values()) {
                if (published.kind == Publisher.Kind.HTTP) {
                    next = Math.min(next, expireInstances ? published.removedAt() : NEVER);
                    next = Math.min(next, published.only().healthy() ? published.overdueAt() : NEVER);
                }
            }
        }
        return next;
    }

    private void happen() {
        windows.entrySet().removeIf(window -> {
            boolean ended = window.getValue().endMillis() <= nowMillis;
            if (ended) {
                withdrawAll(window.getKey());
            }
            return ended;
        });
        for (Map.Entry<ServiceKey, Service> entry : List.copyOf(services.entrySet())) {
            Service service = entry.getValue();
            for (Map.Entry<String, Published> said : List.copyOf(service.publications.entrySet())) {
                Published published = said.getValue();
                if (published.kind != Publisher.Kind.HTTP) {
                    continue;
                }
                if (expireInstances && published.removedAt() <= nowMillis) {
                    deregister(said.getKey(), entry.getKey());
                } else if (published.overdueAt() <= nowMillis) {
                    published.instances = List.of(published.only().withHealthy(false));
                }
            }
            if (service.cleanAtMillis <= nowMillis) {
                service.cleanAtMillis = NEVER;
                if (service.publications.isEmpty() && (service.ephemeral || service.settings == null)) {
                    services.remove(entry.getKey());
                }
            }
        }
    }

    /** The server is stopped and started again: connections are closed, and their instances are remembered. */
    void restart(Collection<KnownService> known, Collection<NamingWrite> stored) {
        connections.clear();
        services.clear();
        windows.clear();
        beganMillis = nowMillis;
        for (NamingWrite write : stored) {
            if (write instanceof NamingWrite.SaveService save) {
                settings(save.service(), save.settings());
            } else if (write instanceof NamingWrite.SaveOverride save) {
                override(save.service(), save.instance(), save.override());
            } else if (write instanceof NamingWrite.SaveInstance save) {
                publish(
                        persistent(save.instance().key()),
                        Publisher.Kind.PERSISTENT,
                        save.service(),
                        List.of(save.instance()));
                services.get(save.service())
                                .publications
                                .get(persistent(save.instance().key()))
                                .stored =
                        save.instance();
            }
        }
        for (KnownService each : known) {
            Map<String, List<Instance>> bySdk = new LinkedHashMap<>();
            each.ofConnections().forEach(connected -> bySdk.computeIfAbsent(connected.sdk(), sdk -> new ArrayList<>())
                    .add(connected.instance()));
            bySdk.forEach((sdk, instances) -> {
                windows.put(Recovery.recoveredId(sdk), new Window(recoveryMillis(sdk), nowMillis + LONGEST_MILLIS));
                publish(Recovery.recoveredId(sdk), Publisher.Kind.RECOVERED, each.service(), instances);
            });
            each.beating().forEach(instance -> {
                registerOverHttp(each.service(), instance);
                Published published = services.get(each.service()).publications.get(beating(instance.key()));
                published.isAwaited = true;
            });
            each.unhealthy().forEach(instance -> setHealthy(each.service(), instance, false));
        }
    }

    /** The SDK of each instance that was registered over a connection, as {@code service instance sdk}. */
    List<String> registeredBy(UnaryOperator<String> sdkOfConnection) {
        List<String> all = new ArrayList<>();
        services.forEach((key, service) -> {
            Map<InstanceKey, Published> latest = new HashMap<>();
            Map<InstanceKey, String> sdks = new HashMap<>();
            service.publications.forEach((publisher, published) -> {
                if (published.kind == Publisher.Kind.CONNECTION || published.kind == Publisher.Kind.RECOVERED) {
                    String recovered = Recovery.recoveredId("");
                    String sdk = publisher.startsWith(recovered)
                            ? publisher.substring(recovered.length())
                            : sdkOfConnection.apply(publisher);
                    for (Instance instance : published.instances) {
                        Published known = latest.get(instance.key());
                        if (known == null || known.sequence <= published.sequence) {
                            latest.put(instance.key(), published);
                            sdks.put(instance.key(), sdk);
                        }
                    }
                }
            });
            sdks.forEach((instance, sdk) -> all.add(key + " " + instance + " " + sdk));
        });
        return all;
    }

    private static long recoveryMillis(String sdk) {
        return sdk.contains("Python") ? 45_000 : sdk.contains("Rust") ? 90_000 : RECOVERY_MILLIS;
    }

    /** The instances of a service by key, with overrides applied. */
    Map<InstanceKey, Instance> shown(ServiceKey service) {
        Service found = services.get(service);
        Map<InstanceKey, Instance> shown = new HashMap<>();
        if (found != null) {
            Map<InstanceKey, Long> sequences = new HashMap<>();
            for (Published published : found.publications.values()) {
                for (Instance instance : published.instances) {
                    if (sequences.getOrDefault(instance.key(), -1L) <= published.sequence) {
                        sequences.put(instance.key(), published.sequence);
                        shown.put(instance.key(), laidOver(found, instance));
                    }
                }
            }
        }
        return shown;
    }

    private static Instance laidOver(Service service, Instance instance) {
        InstanceOverride override = service.overrides.getOrDefault(instance.key(), InstanceOverride.NONE);
        Map<String, String> metadata = new HashMap<>(instance.metadata());
        metadata.putAll(override.metadata());
        Instance shown = instance.withMetadata(metadata);
        shown = override.weight() == null ? shown : shown.withWeight(override.weight());
        return override.enabled() == null ? shown : shown.withEnabled(override.enabled());
    }

    /** The instances that a consumer gets, by key. */
    Map<InstanceKey, Instance> view(ServiceKey service, String clusters, boolean healthyOnly, String consumer) {
        Map<InstanceKey, Instance> view = shown(service);
        List<String> wanted = Arrays.asList(clusters.split(","));
        view.values()
                .removeIf(instance -> !instance.enabled()
                        || !clusters.isEmpty()
                                && !wanted.contains(instance.key().cluster()));
        if (healthyOnly) {
            view.values().removeIf(instance -> !instance.healthy());
        }
        Service found = services.get(service);
        narrow(view, found, labels.getOrDefault(consumer, Map.of()));
        long healthy = view.values().stream().filter(Instance::healthy).count();
        if (found != null
                && found.settings != null
                && !view.isEmpty()
                && (double) healthy / view.size() <= found.settings.protectThreshold()) {
            view.replaceAll((key, instance) -> instance.withHealthy(true));
        }
        return view;
    }

    /** Keeps the instances with the consumer's labels, if there are any and the consumer has all labels of the rule. */
    private void narrow(Map<InstanceKey, Instance> view, Service service, Map<String, String> ofConsumer) {
        if (service == null || service.settings == null) {
            return;
        }
        List<String> names = service.settings.selector().labels();
        Set<InstanceKey> near = new HashSet<>(view.keySet());
        near.removeIf(key -> names.stream().anyMatch(name -> {
            String value = labels.getOrDefault(key.ip(), Map.of()).get(name);
            return value == null || !value.equals(ofConsumer.get(name));
        }));
        if (!near.isEmpty()) {
            view.keySet().retainAll(near);
        }
    }

    long instanceCount() {
        return services.values().stream().mapToLong(Service::instances).sum();
    }

    /** The ids of all publishers. */
    Set<String> publishers() {
        Set<String> all = new TreeSet<>(connections);
        services.values()
                .forEach(service -> service.publications.forEach((publisher, published) -> {
                    if (published.kind != Publisher.Kind.RECOVERED) {
                        all.add(publisher);
                    }
                }));
        return all;
    }

    /** The ids of publishers that are remembered from before a restart. */
    Set<String> remembered() {
        return windows.keySet();
    }

    /** The stored rows, in any order. */
    Set<NamingWrite> stored() {
        Set<NamingWrite> stored = new HashSet<>();
        services.forEach((key, service) -> {
            if (service.settings != null) {
                stored.add(new NamingWrite.SaveService(key, service.settings));
            }
            service.overrides.forEach(
                    (instance, override) -> stored.add(new NamingWrite.SaveOverride(key, instance, override)));
            for (Published published : new ArrayList<>(service.publications.values())) {
                if (published.stored != null) {
                    stored.add(new NamingWrite.SaveInstance(key, published.stored));
                }
            }
        });
        return stored;
    }
}
