package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Instances disappear when their client is killed or closed. */
public abstract class LivenessScenarios extends NamingScenarios {
    @Test
    void removesTheInstanceOfAKilledProcessAndKeepsOthers() throws Exception {
        String service = newService();
        Instance killed = newShortLivedInstance();
        Instance staying = newInstance();
        var subscriber = new RecordingSubscriber();
        clients().open().registerInstance(service, copy(staying));
        clients().open().subscribe(service, subscriber);
        try (var provider = ProviderProcess.start(server().serverAddress(), service, killed)) {
            awaitNow(subscriber, killed, staying);

            provider.kill();

            awaitNow(subscriber, staying);
        }
        assertFound(clients().open(), service, List.of(staying));
        assertThat(subscriber.lists())
                .as("the other instance stayed registered")
                .allSatisfy(list -> assertThat(addresses(list)).contains(staying.toInetAddr()));
    }

    @Test
    void aClosedClientLeavesNoInstances() throws Exception {
        String service = newService();
        String group = newName("group");
        Instance leaving = newShortLivedInstance();
        Instance leavingToo = newShortLivedInstance();
        Instance staying = newInstance();
        var subscriber = new RecordingSubscriber();
        NamingService consumer = clients().open();
        clients().open().registerInstance(service, copy(staying));
        NamingService provider = clients().open();
        provider.registerInstance(service, copy(leaving));
        provider.registerInstance(service, group, copy(leavingToo));
        consumer.subscribe(service, subscriber);
        awaitNow(subscriber, leaving, staying);

        provider.shutDown();

        awaitNow(subscriber, staying);
        patiently().untilAsserted(() -> assertThat(consumer.getAllInstances(service, group, false))
                .isEmpty());
    }
}
