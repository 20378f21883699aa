package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.PreservedMetadataKeys;
import com.alibaba.nacos.api.naming.pojo.Instance;
import com.alibaba.nacos.api.naming.pojo.ListView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Instances register, are found as registered, and deregister. */
public abstract class RegistrationScenarios extends NamingScenarios {
    /** Whether a client's second instance of a service replaces the first. */
    boolean publishesOneInstanceOfAService() {
        return true;
    }

    @Test
    void instanceIsFoundAsItWasRegistered() throws Exception {
        String service = newService();
        Instance instance = newInstance("east-1");
        instance.setPort(18080);
        instance.setWeight(2.5);
        instance.addMetadata("version", "1.2.3");
        instance.addMetadata("preserved.register.source", "SPRING_CLOUD");
        NamingService provider = clients().open();

        provider.registerInstance(service, copy(instance));

        Instance found = queryOne(clients().open(), service);
        assertThat(found.getIp()).isEqualTo(instance.getIp());
        assertThat(found.getPort()).isEqualTo(18080);
        assertThat(found.getWeight()).isEqualTo(2.5);
        assertThat(found.getClusterName()).isEqualTo("east-1");
        assertThat(found.getMetadata()).isEqualTo(instance.getMetadata());
        assertThat(found.isHealthy()).isTrue();
        assertThat(found.isEnabled()).isTrue();
        assertThat(found.isEphemeral()).isTrue();
        assertThat(found.getServiceName()).isEqualTo("DEFAULT_GROUP@@" + service);
        assertThat(found.getInstanceId()).isEqualTo(instance.getIp() + "#18080#east-1#DEFAULT_GROUP@@" + service);
    }

    @Test
    void shortFormsRegisterAndDeregister() throws Exception {
        String plain = newService();
        String clustered = newService();
        String grouped = newService();
        String group = newName("group");
        NamingService provider = clients().open();
        NamingService consumer = clients().open();

        provider.registerInstance(plain, "10.8.0.1", 80);
        provider.registerInstance(clustered, "10.8.0.2", 81, "c1");
        provider.registerInstance(grouped, group, "10.8.0.3", 82, "c2");

        assertThat(queryOne(consumer, plain).toInetAddr()).isEqualTo("10.8.0.1:80");
        assertThat(queryOne(consumer, plain).getClusterName()).isEqualTo("DEFAULT");
        assertThat(queryOne(consumer, clustered).getClusterName()).isEqualTo("c1");
        assertThat(consumer.getAllInstances(grouped, group, false))
                .singleElement()
                .satisfies(instance -> assertThat(instance.toInetAddr()).isEqualTo("10.8.0.3:82"));

        provider.deregisterInstance(plain, "10.8.0.1", 80);
        provider.deregisterInstance(clustered, "10.8.0.2", 81, "c1");
        provider.deregisterInstance(grouped, group, "10.8.0.3", 82, "c2");

        assertThat(query(consumer, plain)).isEmpty();
        assertThat(query(consumer, clustered)).isEmpty();
        assertThat(consumer.getAllInstances(grouped, group, false)).isEmpty();
    }

    @Test
    void deregisteredInstanceIsFoundNoMoreWhileOthersAre() throws Exception {
        String service = newService();
        Instance leaving = newInstance();
        Instance staying = newInstance();
        NamingService provider = clients().open();
        provider.registerInstance(service, copy(leaving));
        clients().open().registerInstance(service, copy(staying));
        NamingService consumer = clients().open();
        assertFound(consumer, service, List.of(leaving, staying));

        provider.deregisterInstance(service, copy(leaving));

        assertFound(consumer, service, List.of(staying));
        provider.deregisterInstance(service, copy(leaving)); // An absent instance can be deregistered
        assertFound(consumer, service, List.of(staying));
    }

    @Test
    void instancesOfAllClientsAreFound() throws Exception {
        String service = newService();
        List<Instance> instances = newInstances(4);
        for (Instance instance : instances) {
            clients().open().registerInstance(service, copy(instance));
        }

        assertFound(clients().open(), service, instances);
    }

    @Test
    void secondInstanceOfAClient() throws Exception {
        String service = newService();
        Instance first = newInstance();
        Instance second = newInstance();
        NamingService provider = clients().open();
        provider.registerInstance(service, copy(first));
        provider.registerInstance(service, copy(second));

        assertFound(
                clients().open(), service, publishesOneInstanceOfAService() ? List.of(second) : List.of(first, second));
    }

    @Test
    void registeringAgainChangesWeightAndMetadata() throws Exception {
        String service = newService();
        Instance instance = newInstance();
        NamingService provider = clients().open();
        NamingService consumer = clients().open();
        provider.registerInstance(service, withMetadata(instance, "version", "1"));
        assertThat(queryOne(consumer, service).getMetadata()).isEqualTo(Map.of("version", "1"));

        Instance changed = withMetadata(instance, "zone", "b");
        changed.setWeight(0.5);
        provider.registerInstance(service, changed);

        Instance found = queryOne(consumer, service);
        assertThat(found.getMetadata()).isEqualTo(Map.of("zone", "b"));
        assertThat(found.getWeight()).isEqualTo(0.5);
    }

    @Test
    void disabledInstanceIsNotFoundUntilItIsEnabled() throws Exception {
        String service = newService();
        Instance always = newInstance();
        Instance sometimes = newInstance();
        clients().open().registerInstance(service, copy(always));
        NamingService provider = clients().open();
        NamingService consumer = clients().open();

        Instance disabled = copy(sometimes);
        disabled.setEnabled(false);
        provider.registerInstance(service, disabled);
        assertFound(consumer, service, List.of(always));

        provider.registerInstance(service, copy(sometimes));
        assertFound(consumer, service, List.of(always, sometimes));
    }

    @Test
    void healthyAndUnhealthyInstancesAreSelectedApart() throws Exception {
        String service = newService();
        Instance healthy = newInstance();
        Instance unhealthy = newInstance();
        Instance weightless = newInstance();
        unhealthy.setHealthy(false);
        // Generation 1 makes it healthy with its first heartbeat.
        unhealthy.addMetadata(PreservedMetadataKeys.HEART_BEAT_INTERVAL, "180000");
        unhealthy.addMetadata(PreservedMetadataKeys.HEART_BEAT_TIMEOUT, "600000");
        unhealthy.addMetadata(PreservedMetadataKeys.IP_DELETE_TIMEOUT, "600000");
        weightless.setWeight(0);
        registerAll(clients().open(), service, List.of(copy(healthy), copy(unhealthy), copy(weightless)));
        NamingService consumer = clients().open();

        assertFound(consumer, service, List.of(healthy, unhealthy, weightless));
        assertThat(addresses(consumer.selectInstances(service, GROUP, List.of(), true, false)))
                .containsExactly(healthy.toInetAddr());
        assertThat(addresses(consumer.selectInstances(service, GROUP, List.of(), false, false)))
                .containsExactly(unhealthy.toInetAddr());
        for (int i = 0; i < 20; i++) {
            assertThat(consumer.selectOneHealthyInstance(service).toInetAddr()).isEqualTo(healthy.toInetAddr());
        }
    }

    @Test
    void oneHealthyInstanceIsChosenByWeight() throws Exception {
        String service = newService();
        Instance heavy = newInstance();
        Instance light = newInstance();
        heavy.setWeight(90);
        light.setWeight(10);
        registerAll(clients().open(), service, List.of(copy(heavy), copy(light)));
        NamingService consumer = clients().open();

        var chosen = new HashMap<String, Integer>();
        int draws = 2_000;
        for (int i = 0; i < draws; i++) {
            chosen.merge(consumer.selectOneHealthyInstance(service).toInetAddr(), 1, Integer::sum);
        }

        assertThat(chosen).containsOnlyKeys(heavy.toInetAddr(), light.toInetAddr());
        assertThat(chosen.getOrDefault(heavy.toInetAddr(), 0) / (double) draws).isCloseTo(0.9, within(0.05));
    }

    @Test
    void clustersAreQueriedApartAndTogether() throws Exception {
        String service = newService();
        Instance east = newInstance("east");
        Instance west = newInstance("west");
        Instance unnamed = newInstance();
        for (Instance instance : List.of(east, west, unnamed)) {
            clients().open().registerInstance(service, copy(instance));
        }
        NamingService consumer = clients().open();

        assertThat(addresses(query(consumer, service, "east"))).containsExactly(east.toInetAddr());
        assertThat(addresses(query(consumer, service, "west", "DEFAULT")))
                .containsExactlyInAnyOrder(west.toInetAddr(), unnamed.toInetAddr());
        assertThat(query(consumer, service, "nowhere")).isEmpty();
        assertFound(consumer, service, List.of(east, west, unnamed));
        assertThat(addresses(consumer.selectInstances(service, GROUP, List.of("west"), true, false)))
                .containsExactly(west.toInetAddr());
        assertThat(consumer.selectOneHealthyInstance(service, GROUP, List.of("east"))
                        .toInetAddr())
                .isEqualTo(east.toInetAddr());
    }

    @Test
    void groupsDoNotMix() throws Exception {
        String service = newService();
        String group = newName("group");
        Instance here = newInstance();
        Instance there = newInstance();
        NamingService provider = clients().open();
        provider.registerInstance(service, copy(here));
        provider.registerInstance(service, group, copy(there));
        NamingService consumer = clients().open();

        assertFound(consumer, service, List.of(here));
        assertThat(addresses(consumer.getAllInstances(service, group, false))).containsExactly(there.toInetAddr());
        provider.deregisterInstance(service, copy(here));
        assertThat(query(consumer, service)).isEmpty();
        assertThat(addresses(consumer.getAllInstances(service, group, false))).containsExactly(there.toInetAddr());
    }

    @Test
    void namespacesDoNotMixAndTheUnnamedOneIsPublic() throws Exception {
        String service = newService();
        Instance inDefault = newInstance();
        Instance inDev = newInstance();
        NamingService unnamed = clients().open();
        NamingService named = clients().open("public");
        NamingService dev = clients().open("dev-7f3a");
        unnamed.registerInstance(service, copy(inDefault));
        dev.registerInstance(service, copy(inDev));

        assertFound(unnamed, service, List.of(inDefault));
        assertFound(named, service, List.of(inDefault));
        assertFound(dev, service, List.of(inDev));
        unnamed.deregisterInstance(service, copy(inDefault));
        assertFound(named, service, List.of());
        assertFound(dev, service, List.of(inDev));
    }

    @Test
    void metadataOfAllScriptsMayHave1024Characters() throws Exception {
        String service = newService();
        Instance instance = newInstance();
        var metadata = new LinkedHashMap<String, String>();
        metadata.put("区域", "华东 & \"1\" = 'a', 100% + é\n\t{}");
        metadata.put("emoji", "🚀");
        int used = metadata.entrySet().stream()
                .mapToInt(entry -> entry.getKey().length() + entry.getValue().length())
                .sum();
        metadata.put("long", "x".repeat(1024 - used - "long".length()));
        metadata.forEach(instance::addMetadata);

        clients().open().registerInstance(service, copy(instance));

        assertThat(queryOne(clients().open(), service).getMetadata()).isEqualTo(metadata);
    }

    @Test
    void metadataAbove1024CharactersIsRefused() throws Exception {
        String service = newService();
        NamingService provider = clients().open();
        Instance instance = newInstance();
        instance.addMetadata("k", "x".repeat(1024));

        assertThatThrownBy(() -> provider.registerInstance(service, instance))
                .isInstanceOf(NacosException.class)
                .hasMessageContaining("1024");

        assertThat(query(clients().open(), service)).isEmpty();
    }

    @Test
    void namesAsDubboAndKubernetesGiveThemAreTaken() throws Exception {
        String group = newName("group");
        String dubbo = "providers:com.acme.Orders$Inner:1.0.0:" + newName("v");
        Instance hostNamed = newInstance();
        hostNamed.setIp("orders-0.orders.shop.svc.cluster.local");
        NamingService provider = clients().open();

        provider.registerInstance(dubbo, group, hostNamed);

        assertThat(addresses(clients().open().getAllInstances(dubbo, group, false)))
                .containsExactly("orders-0.orders.shop.svc.cluster.local:8080");
        assertThat(provider.getServicesOfServer(1, 10, group).getData()).containsExactly(dubbo);
    }

    @Test
    void servicesAreListedInPages() throws Exception {
        String group = newName("group");
        var services = new TreeSet<String>();
        NamingService provider = clients().open();
        for (int i = 0; i < 7; i++) {
            String service = newService();
            provider.registerInstance(service, group, newInstance());
            services.add(service);
        }
        NamingService consumer = clients().open();

        var listed = new ArrayList<String>();
        for (int page = 1; page <= 3; page++) {
            ListView<String> view = consumer.getServicesOfServer(page, 3, group);
            assertThat(view.getCount()).isEqualTo(7);
            assertThat(view.getData()).hasSize(page < 3 ? 3 : 1);
            listed.addAll(view.getData());
        }

        assertThat(listed).containsExactlyInAnyOrderElementsOf(services);
        assertThat(consumer.getServicesOfServer(4, 3, group).getData()).isEmpty();
        assertThat(consumer.getServicesOfServer(4, 3, group).getCount()).isEqualTo(7);
        assertThat(consumer.getServicesOfServer(1, 10, newName("group")).getCount())
                .isZero();
        assertThat(clients().open("dev-7f3a").getServicesOfServer(1, 10, group).getCount())
                .isZero();
    }

    @Test
    void oneClientPublishesFiftyServicesOfTwentyInstances() throws Exception {
        NamingService provider = clients().open();
        var published = new LinkedHashMap<String, List<Instance>>();
        for (int i = 0; i < 50; i++) {
            String service = newService();
            List<Instance> instances = newInstances(20);
            registerAll(provider, service, instances);
            published.put(service, instances);
        }

        NamingService consumer = clients().open();
        for (var service : published.entrySet()) {
            assertFound(consumer, service.getKey(), service.getValue());
        }
    }

    @Test
    void absentServiceHasNoInstances() throws Exception {
        NamingService consumer = clients().open();

        assertThat(query(consumer, newService())).isEmpty();
        assertThat(consumer.getAllInstances(newService())).isEmpty();
        assertThat(consumer.getServerStatus()).isEqualTo("UP");
    }
}
