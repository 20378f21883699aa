package io.cairn.spring.discovery;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.CairnClient;
import io.cairn.client.naming.NamingClient;
import io.cairn.client.naming.ServicePage;
import io.cairn.client.naming.ServiceWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;

/**
 * The discovery client of Spring Cloud; returns healthy, enabled instances. The first lookup subscribes to the service, so
 * later lookups are local and up to date. Thread-safe.
 */
public final class CairnDiscoveryClient implements DiscoveryClient, AutoCloseable {

    private static final int PAGE = 500;
    /** Limits the subscriptions; further services are queried at each lookup. */
    private static final int MOST_SUBSCRIBED = 1_000;

    private final NamingClient naming;
    private final String group;
    private final ConcurrentHashMap<ServiceKey, ServiceWatch> subscribed = new ConcurrentHashMap<>();

    public CairnDiscoveryClient(CairnClient client, String group) {
        this.naming = client.naming();
        this.group = group;
    }

    @Override
    public String description() {
        return "Cairn";
    }

    @Override
    public List<ServiceInstance> getInstances(String serviceId) {
        ServiceKey key = naming.service(group, serviceId);
        List<Instance> healthy = naming.healthy(key);
        if (subscribed.size() < MOST_SUBSCRIBED) {
            subscribed.computeIfAbsent(key, service -> naming.subscribe(service, change -> {}));
        }
        List<ServiceInstance> instances = new ArrayList<>(healthy.size());
        for (Instance instance : healthy) {
            instances.add(new DefaultServiceInstance(
                    serviceId + '@' + instance.key().ip() + ':' + instance.key().port(),
                    serviceId,
                    instance.key().ip(),
                    instance.key().port(),
                    "true".equals(instance.metadata().get("secure")),
                    instance.metadata()));
        }
        return instances;
    }

    @Override
    public List<String> getServices() {
        List<String> all = new ArrayList<>();
        for (int page = 1; ; page++) {
            ServicePage services = naming.services(group, page, PAGE);
            all.addAll(services.names());
            if (services.names().isEmpty() || all.size() >= services.total()) {
                return all;
            }
        }
    }

    /** Fails when the server is unreachable. */
    @Override
    public void probe() {
        naming.services(group, 1, 1);
    }

    @Override
    public void close() {
        subscribed.values().forEach(ServiceWatch::close);
        subscribed.clear();
    }
}
