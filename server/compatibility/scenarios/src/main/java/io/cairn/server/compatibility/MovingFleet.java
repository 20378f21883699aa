package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Services with an instance of each of three applications, and the applications, which move between two servers by a restart.
 */
final class MovingFleet implements AutoCloseable {

    /** A client with an instance in each service of its part. */
    record Application(int part, int port) {}

    private record Client(NamingService naming, MigrationSide side) {}

    private static final int[] PORTS = {8080, 8081, 8082};

    private final int services;
    private final int parts;
    private final Map<Application, Client> clients = new HashMap<>();
    /** Applications that each list must have. */
    private final Set<Application> live = ConcurrentHashMap.newKeySet();

    MovingFleet(int services, int parts) {
        this.services = services;
        this.parts = parts;
    }

    List<Application> applications() {
        List<Application> all = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            for (int port : PORTS) {
                all.add(new Application(part, port));
            }
        }
        return all;
    }

    private List<String> servicesOf(int part) {
        List<String> names = new ArrayList<>();
        for (int service = part; service < services; service += parts) {
            names.add("load-" + service);
        }
        return names;
    }

    static String ip(int service) {
        return "10.9." + service / 250 + "." + (1 + service % 250);
    }

    private static String ip(String service) {
        return ip(Integer.parseInt(service.substring("load-".length())));
    }

    /** Stops an application where it is, waits until that server does not show it, starts it at another, and awaits it at all. */
    void move(Application application, MigrationSide to, MigrationSide... shownBy) throws NacosException {
        live.remove(application);
        stop(application);
        NamingService now = NamingClients.create(to.address(), Map.of());
        clients.put(application, new Client(now, to));
        for (String service : servicesOf(application.part())) {
            now.registerInstance(service, ip(service), application.port());
        }
        for (MigrationSide side : shownBy) {
            awaitShown(application, side);
        }
        live.add(application);
    }

    private void stop(Application application) throws NacosException {
        Client before = clients.remove(application);
        if (before == null) {
            return;
        }
        List<String> services = servicesOf(application.part());
        for (String service : services) {
            before.naming().deregisterInstance(service, ip(service), application.port());
        }
        before.naming().shutDown();
        for (String service : services) {
            await().ignoreExceptions().until(() -> !before.side().ports(service).contains(application.port()));
        }
    }

    private void awaitShown(Application application, MigrationSide side) {
        for (String service : servicesOf(application.part())) {
            await().ignoreExceptions().until(() -> side.ports(service).contains(application.port()));
        }
    }

    void awaitComplete(MigrationSide side) {
        live.forEach(application -> awaitShown(application, side));
    }

    /** Lists a service, and checks that no application is missing that was live before and after. */
    void check(MigrationSide side) throws Exception {
        int service = ThreadLocalRandom.current().nextInt(services);
        Set<Integer> required = ports(service % parts);
        Set<Integer> listed = side.ports("load-" + service);
        required.retainAll(ports(service % parts));
        assertThat(listed).as("load-%s at %s", service, side.name()).containsAll(required);
    }

    private Set<Integer> ports(int part) {
        return Arrays.stream(PORTS)
                .filter(port -> live.contains(new Application(part, port)))
                .boxed()
                .collect(Collectors.toSet());
    }

    static Set<Integer> ports(List<Instance> instances) {
        return instances.stream().map(Instance::getPort).collect(Collectors.toSet());
    }

    @Override
    public void close() throws NacosException {
        for (Client client : clients.values()) {
            client.naming().shutDown();
        }
    }
}
