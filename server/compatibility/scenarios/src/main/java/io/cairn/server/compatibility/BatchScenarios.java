package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Several instances of a service by one client, as of gateways and sidecars. */
public abstract class BatchScenarios extends NamingScenarios {
    private static List<Instance> copies(List<Instance> instances) {
        return instances.stream().map(NamingScenarios::copy).collect(Collectors.toList());
    }

    @Test
    void batchIsFoundAndPushedAndShrinks() throws Exception {
        String service = newService();
        List<Instance> batch = newInstances(5);
        batch.get(3).setClusterName("c1");
        batch.get(4).addMetadata("version", "5");
        var subscriber = new RecordingSubscriber();
        NamingService consumer = clients().open();
        consumer.subscribe(service, subscriber);
        NamingService provider = clients().open();

        provider.batchRegisterInstance(service, GROUP, copies(batch));
        awaitNow(subscriber, batch);
        assertFound(consumer, service, batch);
        assertThat(addresses(query(consumer, service, "c1")))
                .containsExactly(batch.get(3).toInetAddr());

        provider.batchDeregisterInstance(service, GROUP, copies(batch.subList(0, 2)));
        awaitNow(subscriber, batch.subList(2, 5));
        assertFound(consumer, service, batch.subList(2, 5));

        provider.deregisterInstance(service, copy(batch.get(2)));
        awaitNow(subscriber, batch.subList(3, 5));

        provider.batchDeregisterInstance(service, GROUP, copies(batch.subList(3, 5)));
        awaitNow(subscriber);
        assertFound(consumer, service, List.of());
    }

    @Test
    void laterBatchTakesThePlaceOfTheFormer() throws Exception {
        String service = newService();
        List<Instance> first = newInstances(3);
        List<Instance> second = List.of(first.get(2), newInstance());
        NamingService provider = clients().open();
        provider.batchRegisterInstance(service, GROUP, copies(first));

        provider.batchRegisterInstance(service, GROUP, copies(second));

        assertFound(clients().open(), service, second);
    }

    @Test
    void batchesOfTwoClientsStandSideBySideAndGoWithTheirClient() throws Exception {
        String service = newService();
        List<Instance> ofOne = newInstances(3);
        List<Instance> ofOther = newInstances(2);
        var subscriber = new RecordingSubscriber();
        NamingService one = clients().open();
        one.batchRegisterInstance(service, GROUP, copies(ofOne));
        clients().open().batchRegisterInstance(service, GROUP, copies(ofOther));
        clients().open().subscribe(service, subscriber);
        patiently().untilAsserted(() -> assertThat(subscriber.addresses()).hasSize(5));

        one.shutDown();

        awaitNow(subscriber, ofOther);
    }
}
