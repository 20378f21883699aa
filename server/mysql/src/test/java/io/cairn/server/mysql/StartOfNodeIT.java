package io.cairn.server.mysql;

import static io.cairn.testing.Patience.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.ChildServer;
import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes in processes of their own that start one after the other. What the scripts wait for is the readiness of the node. */
@Tag("full")
@Tag("processes")
class StartOfNodeIT {

    private static final int SIZE = 3;
    private static final int SPACING = 10;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    private TestSchema schema;
    private final ReservedPorts ports = ReservedPorts.apart(IntStream.range(0, SIZE)
            .map(node -> node * SPACING)
            .flatMap(http -> IntStream.of(http, http + 1_000, http + 1_001))
            .toArray());
    private final Deque<ChildServer> open = new ArrayDeque<>();

    @BeforeEach
    void create() {
        schema = TestSchema.create(StartOfNodeIT.class);
    }

    @AfterEach
    void close() {
        open.forEach(ChildServer::close);
        ports.close();
        schema.close();
    }

    private String address(int node) {
        return "127.0.0.1:" + (ports.first() + node * SPACING);
    }

    private ChildServer launch(int node, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=" + (ports.first() + node * SPACING),
                "--nacos.standalone=false",
                "--nacos.inetutils.ip-address=127.0.0.1",
                "--nacos.member.list="
                        + IntStream.range(0, SIZE).mapToObj(this::address).collect(Collectors.joining(","))));
        arguments.addAll(schema.access().arguments());
        arguments.addAll(Arrays.asList(more));
        ChildServer server = ChildServer.launch(folder.resolve("node-" + node), arguments.toArray(String[]::new));
        open.push(server);
        return server;
    }

    private HttpResponse<String> get(int node, String path) throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://" + address(node) + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> readiness(int node) throws IOException, InterruptedException {
        return get(node, "/nacos/v3/admin/core/state/readiness");
    }

    @Test
    void eachNodeIsReadyWhenItsStartIsOver() throws Exception {
        for (int node = 0; node < SIZE; node++) {
            ChildServer server = launch(node);
            server.awaitReady();
            int started = node;
            // A busy machine may stop the process for a moment.
            HttpResponse<String> first = await().until(
                            () -> readiness(started), answer -> !answer.body().contains("did not run"));
            assertThat(first.statusCode())
                    .as("node %d: %s%s", node, first.body(), server.output())
                    .isEqualTo(200);
            assertThat(get(node, "/nacos/serverlist").body().lines())
                    .as("node %d", node)
                    .hasSize(node + 1);
        }
        assertThat(open)
                .extracting(ChildServer::output)
                .filteredOn(output -> !output.contains("did not run"))
                .allSatisfy(output -> assertThat(output)
                        .containsOnlyOnce("This node is READY")
                        .doesNotContain("This node is JOINING"));
    }

    @Test
    void nodeWithAnotherKeyIsNeverReadyAndItsLogAndFindingsNameTheKey() throws Exception {
        for (int node = 0; node < 2; node++) {
            launch(node).awaitReady();
        }

        ChildServer other =
                launch(2, "--cairn.cluster.key=" + Base64.getEncoder().encodeToString(new byte[32]));

        await().atMost(START).untilAsserted(() -> assertThat(other.output())
                .contains("This node is ISOLATED")
                .contains("cairn.cluster.key"));
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(readiness(2).body()).contains("ISOLATED", "cairn.cluster.key"));
        assertThat(other.status()).as("the status for the scripts").isEmpty();
        assertThat(other.output()).doesNotContain("This node is READY", "check the ports");
        await().untilAsserted(() -> assertThat(
                        get(2, "/nacos/v3/admin/core/attention").body())
                .contains("GROUP_KEY_DIFFERS", address(0), address(1)));
        await().untilAsserted(() ->
                assertThat(get(0, "/nacos/v3/admin/core/attention").body()).contains("GROUP_KEY_DIFFERS", address(2)));
        assertThat(readiness(0).statusCode()).isEqualTo(200);
        assertThat(readiness(1).statusCode()).isEqualTo(200);
    }
}
