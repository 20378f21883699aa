package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.PreservedMetadataKeys;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Generation 1: instances live by beats over HTTP, pushes come over UDP, and lists are asked for every 10 s besides. */
class NacosNamingClient1IT {
    private static final Duration BEAT = Duration.ofSeconds(1);
    private static final Duration UNHEALTHY_AFTER = Duration.ofSeconds(2);
    private static final Duration GONE_AFTER = Duration.ofSeconds(3);

    /** The last beat may have come just before the client went, and the server looks when it is time. */
    private static final Duration GONE_WITHIN = GONE_AFTER.plus(BEAT).plusSeconds(1);

    private static Instance beatingFast(Instance instance) {
        instance.addMetadata(PreservedMetadataKeys.HEART_BEAT_INTERVAL, Long.toString(BEAT.toMillis()));
        instance.addMetadata(PreservedMetadataKeys.HEART_BEAT_TIMEOUT, Long.toString(UNHEALTHY_AFTER.toMillis()));
        instance.addMetadata(PreservedMetadataKeys.IP_DELETE_TIMEOUT, Long.toString(GONE_AFTER.toMillis()));
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

        @Test
        void changesArriveByUdpAndNotByPolling() throws Exception {
            String service = newService();
            Instance instance = newInstance();
            var subscriber = new RecordingSubscriber();
            NamingService provider = clients().open();
            provider.registerInstance(service, withMetadata(instance, "version", "0"));
            clients().open().subscribe(service, subscriber);
            awaitMetadata(subscriber, "version", "0");

            long began = System.nanoTime();
            for (int version = 1; version <= 5; version++) {
                provider.registerInstance(service, withMetadata(instance, "version", Integer.toString(version)));
                awaitMetadata(subscriber, "version", Integer.toString(version));
            }

            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("five changes, when polls are 10 s apart")
                    .isLessThan(Duration.ofSeconds(10));
        }
    }

    @Nested
    class Persistent extends PersistentScenarios {
        @Override
        Instance newShortLivedInstance() {
            return beatingFast(newInstance());
        }

        @Override
        Duration goneWithin() {
            return GONE_WITHIN;
        }
    }

    @Nested
    class Liveness extends LivenessScenarios {
        @Override
        Instance newShortLivedInstance() {
            return beatingFast(newInstance());
        }

        @Override
        Duration goneWithin() {
            return GONE_WITHIN;
        }

        @Test
        void beatsKeepAnInstanceHealthyAndSilenceMakesItUnhealthyFirst() throws Exception {
            String service = newService();
            Instance beating = newShortLivedInstance();
            Instance silent = newShortLivedInstance();
            var subscriber = new RecordingSubscriber();
            NamingService consumer = clients().open();
            clients().open().registerInstance(service, copy(beating));
            consumer.subscribe(service, subscriber);
            NamingService falling = clients().open();
            falling.registerInstance(service, copy(silent));
            awaitNow(subscriber, beating, silent);

            falling.shutDown();

            awaitNow(GONE_WITHIN, subscriber, List.of(beating));
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
    class Restart extends NamingRestartScenarios {
        @Override
        Instance newShortLivedInstance() {
            return beatingFast(newInstance());
        }

        @Override
        Duration goneWithin() {
            return GONE_WITHIN;
        }

        @Override
        void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
            registerEach(client, service, instances);
        }
    }
}
