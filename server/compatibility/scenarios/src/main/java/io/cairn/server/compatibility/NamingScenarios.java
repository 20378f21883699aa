package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The base of all naming scenarios: a server, clients, unique service names, timeouts. The scenarios mostly wait, so they run in
 * parallel.
 */
@ExtendWith(SharedServer.class)
@Execution(ExecutionMode.CONCURRENT)
abstract class NamingScenarios {
    static final String GROUP = "DEFAULT_GROUP";

    /** A timeout for a busy machine. Only generation 1 polls by itself, after 10 s; the others need a push. */
    private static final String RUN = Long.toString(System.currentTimeMillis(), 36);

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final AtomicInteger ADDRESSES = new AtomicInteger();

    private CairnProcess server;
    private NamingClients clients;

    @BeforeEach
    void useSharedServer(CairnProcess shared) {
        useServer(shared);
    }

    /** A server that the caller may stop and restart. */
    static CairnProcess startOwnServer(String... arguments) {
        return CairnProcess.builder().programArguments(arguments).start();
    }

    final void useServer(CairnProcess used) {
        server = used;
        clients = new NamingClients(used.serverAddress());
    }

    @AfterEach
    void closeClients() {
        clients.close();
    }

    CairnProcess server() {
        return server;
    }

    NamingClients clients() {
        return clients;
    }

    /**
     * Publishes all these instances with one client. Over gRPC a client publishes one instance or one batch of a service;
     * generation 1 has no batches and publishes any number of instances.
     */
    void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
        client.batchRegisterInstance(service, GROUP, instances);
    }

    /** Expires as early as its generation allows after its client is gone. */
    Instance newShortLivedInstance() {
        return newInstance();
    }

    /** Unknown to the server. */
    static String newService() {
        return newName("service");
    }

    static String newName(String what) {
        return "compat-" + what + "-" + RUN + "-" + NAMES.incrementAndGet();
    }

    /** An instance at an unused address. */
    static Instance newInstance() {
        int number = ADDRESSES.incrementAndGet();
        var instance = new Instance();
        instance.setIp("10.7." + number / 250 + "." + (1 + number % 250));
        instance.setPort(8080);
        return instance;
    }

    static Instance newInstance(String cluster) {
        Instance instance = newInstance();
        instance.setClusterName(cluster);
        return instance;
    }

    static Instance newPersistentInstance() {
        Instance instance = newInstance();
        instance.setEphemeral(false);
        return instance;
    }

    static List<Instance> newInstances(int count) {
        var instances = new ArrayList<Instance>();
        for (int i = 0; i < count; i++) {
            instances.add(newInstance());
        }
        return instances;
    }

    /** A copy, because a client keeps its argument. */
    static Instance copy(Instance instance) {
        var copy = new Instance();
        copy.setIp(instance.getIp());
        copy.setPort(instance.getPort());
        copy.setWeight(instance.getWeight());
        copy.setHealthy(instance.isHealthy());
        copy.setEnabled(instance.isEnabled());
        copy.setEphemeral(instance.isEphemeral());
        copy.setClusterName(instance.getClusterName());
        instance.getMetadata().forEach(copy::addMetadata);
        return copy;
    }

    static Instance withMetadata(Instance instance, String key, String value) {
        Instance copy = copy(instance);
        copy.addMetadata(key, value);
        return copy;
    }

    /** The server's response, without the client's cache. */
    static List<Instance> query(NamingService client, String service, String... clusters) throws NacosException {
        return client.getAllInstances(service, GROUP, Arrays.asList(clusters), false);
    }

    static Instance queryOne(NamingService client, String service) throws NacosException {
        List<Instance> found = query(client, service);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    static void assertFound(NamingService client, String service, List<Instance> expected) throws NacosException {
        assertThat(addresses(query(client, service))).containsExactlyInAnyOrderElementsOf(addresses(expected));
    }

    static List<String> addresses(List<Instance> instances) {
        return instances.stream().map(Instance::toInetAddr).collect(Collectors.toList());
    }

    /** Retries until the condition holds; a missing value counts as a failed attempt. */
    static ConditionFactory patiently() {
        return patiently(PATIENCE);
    }

    static ConditionFactory patiently(Duration atMost) {
        return await().atMost(atMost).pollInterval(Duration.ofMillis(25)).ignoreExceptions();
    }

    /** Waits until the newest list has exactly these instances. */
    static void awaitNow(RecordingSubscriber subscriber, Instance... expected) {
        awaitNow(subscriber, Arrays.asList(expected));
    }

    static void awaitNow(RecordingSubscriber subscriber, List<Instance> expected) {
        awaitNow(PATIENCE, subscriber, expected);
    }

    static void awaitNow(Duration within, RecordingSubscriber subscriber, List<Instance> expected) {
        patiently(within).untilAsserted(() -> {
            assertThat(subscriber.newest()).isPresent();
            assertThat(subscriber.addresses()).containsExactlyInAnyOrderElementsOf(addresses(expected));
        });
    }

    /** Waits until the only instance has this metadata. */
    static void awaitMetadata(RecordingSubscriber subscriber, String key, String value) {
        patiently().untilAsserted(() -> assertThat(subscriber.newest()).hasValueSatisfying(instances -> assertThat(
                        instances)
                .singleElement()
                .satisfies(instance -> assertThat(instance.getMetadata()).containsEntry(key, value))));
    }
}
