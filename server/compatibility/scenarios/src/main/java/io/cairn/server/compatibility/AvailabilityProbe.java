package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Reads services in all ways of a consumer, repeatedly, and records when a living provider was missing: in a pushed list, in a
 * subscribed client's list, in the server's answer to the client and over HTTP. A failed read does not count as an empty list.
 */
final class AvailabilityProbe implements AutoCloseable {
    private static final long PAUSE_MILLIS = 50;

    private final List<WatchedKey> services = new ArrayList<>();
    private final Queue<String> missed = new ConcurrentLinkedQueue<>();
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();
    private final HttpInstances http;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final List<Thread> watchers = new ArrayList<>();

    private record WatchedKey(String service, Set<String> living, RecordingSubscriber subscriber) {}

    private interface Probe {
        List<String> at(String service) throws NacosException, IOException, InterruptedException;
    }

    /**
     * @param server {@code host:port} for HTTP
     * @param living the providers of each service that must always be listed
     */
    AvailabilityProbe(String server, NamingService client, Map<String, List<Instance>> living) throws NacosException {
        for (var service : living.entrySet()) {
            var subscriber = new RecordingSubscriber();
            client.subscribe(service.getKey(), subscriber);
            services.add(
                    new WatchedKey(service.getKey(), RecordingSubscriber.addresses(service.getValue()), subscriber));
        }
        http = new HttpInstances(server);
        watch("held by the client", service -> NamingScenarios.addresses(client.getAllInstances(service)));
        watch("answered to the client", service -> NamingScenarios.addresses(client.getAllInstances(service, false)));
        watch("answered over HTTP", http::addresses);
    }

    /** Also reads the lists of healthy instances, which consumers call. */
    void probeHealth() {
        watch("healthy over HTTP", http::healthyAddresses);
    }

    private void watch(String how, Probe probe) {
        var watcher = new Thread(() -> probeRepeatedly(how, probe), "witness of lists " + how);
        watcher.setDaemon(true);
        answers.put(how, 0);
        watcher.start();
        watchers.add(watcher);
    }

    private void probeRepeatedly(String how, Probe probe) {
        try {
            do {
                for (WatchedKey watched : services) {
                    try {
                        compare(how, watched, probe.at(watched.service()));
                        answers.merge(how, 1, Integer::sum);
                    } catch (NacosException | IOException away) {
                        // The server is away
                    }
                }
            } while (!ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void compare(String how, WatchedKey watched, List<String> found) {
        var missing = new TreeSet<>(watched.living());
        found.forEach(missing::remove);
        if (!missing.isEmpty()) {
            missed.add(watched.service() + ", list " + how + ": " + found + " lacks " + missing);
        }
    }

    void awaitAll() {
        NamingScenarios.patiently().untilAsserted(() -> assertThat(services)
                .allSatisfy(
                        watched -> assertThat(watched.subscriber().addresses()).containsAll(watched.living())));
    }

    void assertNothingMissed() {
        for (WatchedKey watched : services) {
            watched.subscriber().lists().forEach(list -> compare("pushed", watched, NamingScenarios.addresses(list)));
        }
        NamingScenarios.patiently().untilAsserted(() -> assertThat(answers)
                .as("answers that were looked at")
                .allSatisfy((how, count) -> assertThat(count).isGreaterThan(50)));
        assertThat(missed).isEmpty();
    }

    @Override
    public void close() {
        ended.countDown();
        watchers.forEach(Thread::interrupt);
    }
}
