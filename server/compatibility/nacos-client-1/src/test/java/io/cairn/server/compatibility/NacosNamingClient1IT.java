package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.PreservedMetadataKeys;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 1: instances live by beats over HTTP, pushes come over UDP, and lists are asked for every 10 s besides. */
@Execution(ExecutionMode.CONCURRENT)
class NacosNamingClient1IT {
    private static final Duration BEAT = Duration.ofSeconds(1);

    private static Instance beatingFast(Instance instance) {
        return beatingFast(instance, Duration.ofSeconds(2), Duration.ofSeconds(3));
    }

    private static Instance beatingFast(Instance instance, Duration unhealthyAfter, Duration goneAfter) {
        instance.addMetadata(PreservedMetadataKeys.HEART_BEAT_INTERVAL, Long.toString(BEAT.toMillis()));
        instance.addMetadata(PreservedMetadataKeys.HEART_BEAT_TIMEOUT, Long.toString(unhealthyAfter.toMillis()));
        instance.addMetadata(PreservedMetadataKeys.IP_DELETE_TIMEOUT, Long.toString(goneAfter.toMillis()));
        return instance;
    }

    private static void registerEach(NamingService client, String service, List<Instance> instances)
            throws NacosException {
        for (Instance instance : instances) {
            client.registerInstance(service, NamingScenarios.copy(instance));
        }
    }

    @Nested
    class Registration extends RegistrationScenarios {
        @Override
        boolean publishesOneInstanceOfAService() {
            return false;
        }

        @Override
        void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
            registerEach(client, service, instances);
        }
    }

    @Nested
    class LargeService extends LargeServiceScenarios {
        /** Some 40 KB: a client of this generation sends a beat for each instance. */
        LargeService() {
            super(100, 3);
        }

        @Override
        void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
            registerEach(client, service, instances);
        }
    }

    @Nested
    class Subscription extends SubscriptionScenarios {
        /** An answer to a poll may arrive after the push of a later state, and the client takes it all the same. */
        @Override
        boolean hearsInOrder() {
            return false;
        }

        @Override
        void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
            registerEach(client, service, instances);
        }

        /** A busy machine may take its time, so one round of some that is quicker than polls can be is the proof. */
        @Test
        void changesArriveByUdpAndNotByPolling() throws Exception {
            String service = newService();
            Instance instance = newInstance();
            var subscriber = new RecordingSubscriber();
            NamingService provider = clients().open();
            provider.registerInstance(service, withMetadata(instance, "version", "0"));
            clients().open().subscribe(service, subscriber);
            awaitMetadata(subscriber, "version", "0");

            var rounds = new AtomicInteger();
            await("five changes within the 10 s from one poll to the next")
                    .atMost(PATIENCE.multipliedBy(2))
                    .until(() -> {
                        int round = rounds.incrementAndGet();
                        long began = System.nanoTime();
                        for (int change = 1; change <= 5; change++) {
                            String version = round + "." + change;
                            provider.registerInstance(service, withMetadata(instance, "version", version));
                            awaitMetadata(subscriber, "version", version);
                        }
                        return System.nanoTime() - began
                                < Duration.ofSeconds(10).toNanos();
                    });
        }
    }

    @Nested
    class Persistent extends PersistentScenarios {
        @Override
        Instance newShortLivedInstance() {
            return beatingFast(newInstance());
        }
    }

    @Nested
    @StoredInPostgreSql
    class PersistentInPostgreSql extends Persistent {}

    @Nested
    class Liveness extends LivenessScenarios {
        @Override
        Instance newShortLivedInstance() {
            return beatingFast(newInstance());
        }

        @Test
        void beatsKeepAnInstanceHealthyAndSilenceMakesItUnhealthyFirst() throws Exception {
            String service = newService();
            // Long enough that a busy machine is no silence, and that a poll sees the one that is unhealthy.
            Instance beating = beatingFast(newInstance(), Duration.ofSeconds(8), Duration.ofSeconds(20));
            Instance silent = beatingFast(newInstance(), Duration.ofSeconds(8), Duration.ofSeconds(20));
            var subscriber = new RecordingSubscriber();
            NamingService consumer = clients().open();
            clients().open().registerInstance(service, copy(beating));
            consumer.subscribe(service, subscriber);
            NamingService falling = clients().open();
            falling.registerInstance(service, copy(silent));
            awaitNow(subscriber, beating, silent);

            falling.shutDown();

            awaitNow(subscriber, beating);
            assertThat(subscriber.lists())
                    .as("it was unhealthy before it was gone")
                    .anySatisfy(list -> assertThat(list)
                            .filteredOn(instance -> !instance.isHealthy())
                            .extracting(Instance::toInetAddr)
                            .containsExactly(silent.toInetAddr()));
            assertThat(subscriber.lists()).allSatisfy(list -> assertThat(list)
                    .filteredOn(instance -> instance.toInetAddr().equals(beating.toInetAddr()))
                    .allMatch(Instance::isHealthy));
        }
    }

    @Nested
    class Labels extends LabelScenarios {}

    @Nested
    class Restart extends NamingRestartScenarios {
        @Override
        Instance newShortLivedInstance() {
            return beatingFast(newInstance());
        }

        @Override
        void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
            registerEach(client, service, instances);
        }
    }
}
