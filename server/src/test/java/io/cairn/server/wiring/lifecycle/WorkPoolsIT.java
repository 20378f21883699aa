package io.cairn.server.wiring.lifecycle;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.InspectableServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whose slowness holds up whom. */
class WorkPoolsIT {

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/nacos" + path))
                .timeout(PATIENCE);
    }

    private String get(String path) throws Exception {
        HttpResponse<String> answer = client.send(request(path).build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(path + ' ' + answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void aStalledDiskDoesNotMakeTheServerUnhealthy() throws Exception {
        client.send(
                request("/v1/cs/configs?dataId=d&group=g&content=c")
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
        ThreadPoolExecutor files =
                (ThreadPoolExecutor) cairn.part(WorkPools.class).files();
        CountDownLatch disk = new CountDownLatch(1);
        try {
            for (int i = 0; i < files.getMaximumPoolSize(); i++) {
                CompletableFuture<Boolean> stands = CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return disk.await(PATIENCE.multipliedBy(5).toSeconds(), TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        files);
                assertThat(stands).isNotDone();
            }
            List<CompletableFuture<HttpResponse<byte[]>>> transfers = new ArrayList<>();
            for (String path : List.of(
                    "/v3/admin/core/backup",
                    "/v3/admin/cs/config/export?namespaceId=public",
                    "/v1/cs/configs?export=true&tenant=&group=&appName=&ids=")) {
                transfers.add(client.sendAsync(request(path).build(), BodyHandlers.ofByteArray()));
            }
            transfers.add(client.sendAsync(
                    request("/v3/admin/core/restore?dryRun=true")
                            .POST(BodyPublishers.ofString("no archive"))
                            .build(),
                    BodyHandlers.ofByteArray()));
            await().until(() -> files.getQueue().size() == 4);

            assertThat(get("/actuator/health")).contains("UP");
            assertThat(get("/v1/console/health/readiness")).isEqualTo("OK");
            assertThat(get("/v2/console/health/readiness")).contains("success");
            assertThat(get("/v3/admin/core/state/readiness")).contains("success");
            assertThat(get("/actuator/prometheus")).contains("cairn_");
            assertThat(transfers).noneMatch(CompletableFuture::isDone);

            disk.countDown();
            for (CompletableFuture<HttpResponse<byte[]>> transfer : transfers) {
                assertThat(transfer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                        .isIn(200, 400);
            }
            assertThat(transfers.get(0).join().body()).startsWith('P', 'K');
        } finally {
            disk.countDown();
        }
    }
}
