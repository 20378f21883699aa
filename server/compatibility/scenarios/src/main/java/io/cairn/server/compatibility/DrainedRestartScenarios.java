package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.process.CairnProcess;
import io.cairn.testing.HangLimit;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** A provider is drained, stopped at once and started again, while consumers of its framework call it. */
public abstract class DrainedRestartScenarios {
    private static final int ROUNDS = Integer.getInteger("cairn.test.drain.rounds", 3);
    /** 200 calls a second of each consumer. */
    private static final Duration PAUSE = Duration.ofMillis(5);

    private static final int CALLS_AFTER_A_STOP = 100;

    private final HttpClient http = HttpClient.newHttpClient();

    /** A permanent provider, a restarted provider, and their consumers. */
    interface Applications extends AutoCloseable {
        List<CallingConsumer> consumers();

        int staying();

        int startProvider() throws Exception;

        List<String> services();

        void stopProvider();

        @Override
        void close();
    }

    abstract Applications start(String serverAddress) throws Exception;

    @Test
    @HangLimit
    void noCallFailsWhenAProviderIsDrainedBeforeItStops() throws Exception {
        // Starts of processes may starve a provider.
        try (CairnProcess cairn = CairnProcess.builder()
                        .setting("cairn.connections.silence", "600s")
                        .start();
                Applications applications = start(cairn.serverAddress())) {
            awaitListed(applications, Set.of(applications.staying()));
            List<SteadyCalls> callers = new ArrayList<>();
            try {
                for (CallingConsumer consumer : applications.consumers()) {
                    callers.add(new SteadyCalls(consumer, Set.of(applications.staying()), PAUSE));
                }
                for (int round = 0; round < ROUNDS; round++) {
                    int port = applications.startProvider();
                    awaitListed(applications, Set.of(applications.staying(), port));
                    awaitCalls(callers);
                    List<String> drained = new ArrayList<>();
                    for (String service : applications.services()) {
                        drained.add(drain(cairn, service, port));
                    }
                    // A framework uses the list a moment after its client has it.
                    awaitListed(applications, Set.of(applications.staying()));
                    awaitCalls(callers);
                    applications.stopProvider();
                    awaitCalls(callers);
                    for (String instance : drained) {
                        // For another use of the port.
                        send(cairn, "DELETE", instance);
                    }
                }
            } finally {
                callers.forEach(SteadyCalls::close);
            }
            for (SteadyCalls caller : callers) {
                assertThat(caller.violations()).isEmpty();
            }
        }
    }

    private static void awaitListed(Applications applications, Set<Integer> ports) {
        patiently().untilAsserted(() -> assertThat(applications.consumers())
                .allSatisfy(consumer -> assertThat(consumer.listed()).isEqualTo(ports)));
    }

    private static void awaitCalls(List<SteadyCalls> callers) {
        for (SteadyCalls caller : callers) {
            int before = caller.calls();
            patiently()
                    .until(() -> caller.calls() >= before + CALLS_AFTER_A_STOP
                            || !caller.violations().isEmpty());
        }
    }

    private String drain(CairnProcess cairn, String service, int port) throws Exception {
        String address = HttpInstances.ofOperator(cairn.serverAddress()).addresses(service).stream()
                .filter(listed -> listed.endsWith(":" + port))
                .findFirst()
                .orElseThrow();
        String instance = "serviceName=" + URLEncoder.encode(service, UTF_8) + "&ip="
                + address.substring(0, address.indexOf(':')) + "&port=" + port;
        assertThat(send(cairn, "PUT", instance + "&wait=30s")).contains("\"acknowledged\":true");
        return instance;
    }

    private String send(CairnProcess cairn, String method, String query) throws Exception {
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + cairn.serverAddress() + "/nacos/v3/admin/ns/instance/drain?" + query))
                .method(method, BodyPublishers.noBody())
                .timeout(PATIENCE)
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString(UTF_8));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(50));
    }
}
