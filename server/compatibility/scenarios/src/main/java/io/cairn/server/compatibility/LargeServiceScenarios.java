package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.START;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Lists so large that the server compresses them for clients that accept it, as all official Java ones do. */
public abstract class LargeServiceScenarios extends NamingScenarios {
    private final int instances;
    private final int consumers;

    /** @param instances that one client can publish in a short time */
    LargeServiceScenarios(int instances, int consumers) {
        this.instances = instances;
        this.consumers = consumers;
    }

    @Test
    void listIsReadAndPushedWholeToAllConsumers() throws Exception {
        String service = newService();
        List<Instance> all = newInstances(instances);
        for (Instance instance : all) {
            instance.addMetadata("zone", "zone-" + instance.getIp());
        }
        registerAll(clients().open(), service, copies(all));
        var subscribers = new ArrayList<RecordingSubscriber>();
        var clients = new ArrayList<NamingService>();
        for (int i = 0; i < consumers; i++) {
            NamingService consumer = clients().open();
            var subscriber = RecordingSubscriber.ofNewestList();
            consumer.subscribe(service, subscriber);
            clients.add(consumer);
            subscribers.add(subscriber);
        }
        for (RecordingSubscriber subscriber : subscribers) {
            awaitSame(subscriber, all);
        }
        assertThat(zones(query(clients.get(0), service))).isEqualTo(zones(all));

        NamingService provider = clients().open();
        Instance late = withMetadata(newInstance(), "zone", "late");
        provider.registerInstance(service, copy(late));
        assertAllSee(with(all, late), service, clients.get(1), subscribers);
        Instance changed = withMetadata(late, "zone", "changed");
        provider.registerInstance(service, copy(changed));
        assertAllSee(with(all, changed), service, clients.get(1), subscribers);
        provider.deregisterInstance(service, late.getIp(), late.getPort());
        assertAllSee(all, service, clients.get(1), subscribers);
    }

    private static List<Instance> with(List<Instance> all, Instance one) {
        var more = new ArrayList<>(all);
        more.add(one);
        return more;
    }

    private static void assertAllSee(
            List<Instance> expected, String service, NamingService reader, List<RecordingSubscriber> subscribers)
            throws NacosException {
        for (RecordingSubscriber subscriber : subscribers) {
            awaitSame(subscriber, expected);
        }
        assertThat(zones(query(reader, service))).isEqualTo(zones(expected));
    }

    private static List<Instance> copies(List<Instance> instances) {
        return instances.stream().map(NamingScenarios::copy).collect(Collectors.toList());
    }

    private static void awaitSame(RecordingSubscriber subscriber, List<Instance> expected) {
        Map<String, String> zones = zones(expected);
        patiently().atMost(START).pollInterval(Duration.ofMillis(250)).until(() -> subscriber
                .newest()
                .map(LargeServiceScenarios::zones)
                .equals(Optional.of(zones)));
    }

    private static Map<String, String> zones(List<Instance> instances) {
        return instances.stream().collect(Collectors.toMap(Instance::toInetAddr, instance -> instance.getMetadata()
                .getOrDefault("zone", "")));
    }
}
