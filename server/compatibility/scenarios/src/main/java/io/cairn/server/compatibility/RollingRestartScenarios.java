package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.testing.HangLimit;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Applications of a framework call each other during a rolling restart of their cluster, with production settings. */
public abstract class RollingRestartScenarios {
    /** 50 calls a second of each consumer. */
    private static final Duration PAUSE = Duration.ofMillis(20);
    /** Longer than a node keeps instances of absent clients. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(30);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    /** Two providers and their consumers, with the addresses of all nodes. */
    interface Applications extends AutoCloseable {
        /** The ports of the providers. */
        Set<Integer> providers();

        List<CallingConsumer> consumers();

        /** Publishes a version of the applications' configuration; fails without an acknowledgement. */
        void publish(int version) throws Exception;

        /** Whether the applications use that version. */
        boolean follow(int version);

        @Override
        void close();
    }

    /** @param serverAddresses of all nodes, separated by commas */
    abstract Applications start(String serverAddresses) throws Exception;

    @Test
    @Tag("endurance")
    @HangLimit
    void noCallFailsAndEachPublishArrivesDuringARollingRestart() throws Exception {
        try (PackedCluster cluster = PackedCluster.start(folder);
                Applications applications = start(cluster.nodes().addresses())) {
            patiently().untilAsserted(() -> assertThat(applications.consumers())
                    .allSatisfy(consumer -> assertThat(consumer.listed())
                            .containsExactlyInAnyOrderElementsOf(applications.providers())));
            publishAndAwait(applications, 1);
            List<SteadyCalls> callers = new ArrayList<>();
            try {
                for (CallingConsumer consumer : applications.consumers()) {
                    callers.add(new SteadyCalls(consumer, applications.providers(), PAUSE));
                }
                restartAll(cluster.nodes(), applications, callers);
            } finally {
                callers.forEach(SteadyCalls::close);
            }
        }
    }

    private static void restartAll(ClusterOfProcesses nodes, Applications applications, List<SteadyCalls> callers)
            throws Exception {
        Instant begin = Instant.now();
        int version = 1;
        for (int node = 0; node < nodes.size(); node++) {
            applications.publish(++version); // Acknowledged; the stopping node may have to notify the applications
            nodes.stop(node);
            awaitFollowed(applications, version);
            publishAndAwait(applications, ++version);
            nodes.restart(node);
            awaitInService(nodes);
            publishAndAwait(applications, ++version);
            report("node " + node + " restarted, after " + since(begin), callers);
        }
        Instant restarted = Instant.now();
        await().atMost(AFTERWARDS.multipliedBy(2)).until(() -> since(restarted).compareTo(AFTERWARDS) > 0);
        Duration length = since(begin);
        report("ended after " + length + ", " + version + " publishes", callers);
        for (SteadyCalls caller : callers) {
            assertThat(caller.violations()).isEmpty();
            assertThat(caller.calls()).isGreaterThan((int) (length.dividedBy(PAUSE) / 2));
        }
    }

    private static void publishAndAwait(Applications applications, int version) throws Exception {
        applications.publish(version);
        awaitFollowed(applications, version);
    }

    private static void awaitFollowed(Applications applications, int version) {
        patiently().alias("followed: version " + version).until(() -> applications.follow(version));
    }

    /** Waits until each node lists all nodes as serving. */
    private static void awaitInService(ClusterOfProcesses nodes) {
        List<String> all = IntStream.range(0, nodes.size())
                .mapToObj(nodes::address)
                .sorted()
                .toList();
        for (String address : all) {
            patiently().untilAsserted(() -> assertThat(serverList(address)).isEqualTo(all));
        }
    }

    private static List<String> serverList(String address) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/nacos/serverlist"))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        return response.statusCode() == 200 ? response.body().lines().sorted().toList() : List.of();
    }

    private static void report(String line, List<SteadyCalls> callers) {
        System.out.println(Instant.now() + " rolling restart: " + line);
        for (SteadyCalls caller : callers) {
            System.out.println(
                    "  " + caller.calls() + " calls, " + caller.violations().size() + " violations, slowest call "
                            + caller.slowest().toMillis() + " ms");
        }
    }

    private static Duration since(Instant instant) {
        return Duration.between(instant, Instant.now());
    }

    private static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(50));
    }
}
