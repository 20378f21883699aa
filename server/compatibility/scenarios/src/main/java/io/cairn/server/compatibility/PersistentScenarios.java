package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Persistent instances stay until they are deregistered, under health checks of the server. */
public abstract class PersistentScenarios extends NamingScenarios {
    @Test
    void persistentInstanceOutlivesItsClientUntilAnotherClientRemovesIt() throws Exception {
        String service = newService();
        String passing = newService();
        Instance persistent = newPersistentInstance();
        Instance ephemeral = newShortLivedInstance();
        var subscriber = new RecordingSubscriber();
        var ofPassing = new RecordingSubscriber();
        NamingService consumer = clients().open();
        NamingService provider = clients().open();
        provider.registerInstance(service, withMetadata(persistent, "version", "1"));
        provider.registerInstance(passing, copy(ephemeral));
        consumer.subscribe(service, subscriber);
        consumer.subscribe(passing, ofPassing);
        awaitNow(subscriber, persistent);
        awaitNow(ofPassing, ephemeral);

        provider.shutDown();
        awaitNow(ofPassing); // Now the server knows that the client is gone

        Instance found = queryOne(consumer, service);
        assertThat(found.toInetAddr()).isEqualTo(persistent.toInetAddr());
        assertThat(found.isEphemeral()).isFalse();
        assertThat(found.getMetadata()).containsEntry("version", "1");

        clients().open().deregisterInstance(service, copy(persistent));
        awaitNow(subscriber);
        assertThat(query(consumer, service)).isEmpty();
    }

    @Test
    void oneClientRegistersManyPersistentInstancesOfAService() throws Exception {
        String service = newService();
        List<Instance> instances = List.of(newPersistentInstance(), newPersistentInstance(), newPersistentInstance());
        NamingService provider = clients().open();
        for (Instance instance : instances) {
            provider.registerInstance(service, copy(instance));
        }
        assertFound(clients().open(), service, instances);

        provider.deregisterInstance(service, copy(instances.get(1)));

        assertFound(clients().open(), service, List.of(instances.get(0), instances.get(2)));
    }

    @Test
    void persistentServiceTakesNoEphemeralInstance() throws Exception {
        String service = newService();
        Instance persistent = newPersistentInstance();
        clients().open().registerInstance(service, copy(persistent));
        NamingService other = clients().open();

        assertThatThrownBy(() -> other.registerInstance(service, newInstance()))
                .isInstanceOf(NacosException.class)
                .hasMessageContaining("Current service DEFAULT_GROUP@@" + service
                        + " is persistent service, can't register ephemeral instance.");

        assertFound(clients().open(), service, List.of(persistent));
    }

    @Test
    void ephemeralServiceTakesNoPersistentInstance() throws Exception {
        String service = newService();
        Instance ephemeral = newInstance();
        clients().open().registerInstance(service, copy(ephemeral));
        NamingService other = clients().open();

        assertThatThrownBy(() -> other.registerInstance(service, newPersistentInstance()))
                .isInstanceOf(NacosException.class)
                .hasMessageContaining("Current service DEFAULT_GROUP@@" + service
                        + " is ephemeral service, can't register persistent instance.");

        assertFound(clients().open(), service, List.of(ephemeral));
    }

    @Test
    void serverChecksThePortsOfPersistentInstances() throws Exception {
        String service = newService();
        try (var open = new ServerSocket();
                var closed = new Socket()) {
            closed.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)); // A port without a listener
            open.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Instance alive = newPersistentInstance();
            alive.setIp("127.0.0.1");
            alive.setPort(open.getLocalPort());
            Instance dead = newPersistentInstance();
            dead.setIp("127.0.0.1");
            dead.setPort(closed.getLocalPort());
            var subscriber = new RecordingSubscriber();
            NamingService provider = clients().open();
            provider.registerInstance(service, copy(alive));
            provider.registerInstance(service, copy(dead));
            NamingService consumer = clients().open();
            consumer.subscribe(service, subscriber);

            patiently().untilAsserted(() -> assertThat(subscriber.newest().orElseThrow())
                    .filteredOn(instance -> !instance.isHealthy())
                    .extracting(Instance::toInetAddr)
                    .containsExactly(dead.toInetAddr()));

            assertThat(addresses(consumer.selectInstances(service, GROUP, List.of(), true, false)))
                    .containsExactly(alive.toInetAddr());
            open.close();
            patiently().untilAsserted(() -> assertThat(query(consumer, service))
                    .allSatisfy(instance -> assertThat(instance.isHealthy()).isFalse()));
            provider.deregisterInstance(service, copy(alive));
            provider.deregisterInstance(service, copy(dead));
            awaitNow(subscriber);
        }
    }
}
