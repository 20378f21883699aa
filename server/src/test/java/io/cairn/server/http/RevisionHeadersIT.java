package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Responses to changes name their revision, and reads wait for one. */
class RevisionHeadersIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String NAMES = "?group=g&groupName=g&dataId=";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    /** The revision in a response; 0 without one. */
    private static long revision(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().firstValue(RevisionHeaders.VISIBLE))
                .as("one server is no cluster")
                .isEmpty();
        return response.headers().firstValueAsLong(RevisionHeaders.REVISION).orElse(0);
    }

    private static HttpResponse<String> post(String path, String dataId, String content) {
        Map<String, String> form = new HashMap<>();
        form.put("dataId", dataId);
        form.put("group", "g");
        form.put("groupName", "g");
        form.put("content", content);
        return cairn.post(path, form);
    }

    private static long publish(String dataId, String content) {
        return revision(post("/v3/admin/cs/config", dataId, content));
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(cairn.uri(path));
    }

    private static HttpResponse<String> read(String path, long minRevision) {
        return cairn.send(request(path).header(RevisionHeaders.MIN_REVISION, Long.toString(minRevision)));
    }

    @Test
    void everyPublishNamesTheNextRevision() {
        long first = publish("publish", "1");

        assertThat(first).isPositive();
        assertThat(revision(post("/v1/cs/configs", "publish", "2"))).isEqualTo(first + 1);
        assertThat(revision(post("/v2/cs/config", "publish", "3"))).isEqualTo(first + 2);
        assertThat(revision(post("/v3/console/cs/config", "publish", "4"))).isEqualTo(first + 3);
        assertThat(revision(cairn.post(
                        "/v1/cs/configs",
                        Map.of("dataId", "publish", "group", "g", "content", "5"),
                        "betaIps",
                        "10.1.1.1")))
                .as("a gray release")
                .isEqualTo(first + 4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/cs/configs", "/v2/cs/config", "/v3/admin/cs/config", "/v3/console/cs/config"})
    void deletionNamesItsRevisionWhereThereWasSomethingToDelete(String path) {
        long before = publish("delete", "1");

        assertThat(revision(cairn.delete(path + NAMES + "delete"))).isEqualTo(before + 1);
        assertThat(revision(cairn.delete(path + NAMES + "delete"))).isZero();
    }

    @Test
    void endOfGrayReleaseNamesItsRevision() {
        for (String path :
                new String[] {"/v1/cs/configs" + NAMES + "gray&beta=true", "/v3/admin/cs/config/beta" + NAMES + "gray"
                }) {
            publish("gray", "1");
            long released = revision(cairn.post(
                    "/v1/cs/configs", Map.of("dataId", "gray", "group", "g", "content", "2"), "betaIps", "10.1.1.1"));

            assertThat(revision(cairn.delete(path))).as(path).isEqualTo(released + 1);
        }
    }

    @Test
    void deletionOfSeveralNamesTheLastRevision() {
        for (String path : new String[] {
            "/v1/cs/configs?delType=ids&ids=",
            "/v3/admin/cs/config/batch?ids=",
            "/v3/console/cs/config/batchDelete?ids="
        }) {
            publish("several.a", "1");
            long before = publish("several.b", "1");
            String ids = id("several.a") + "," + id("several.b");

            assertThat(revision(cairn.delete(path + ids))).as(path).isEqualTo(before + 2);
        }
    }

    private static String id(String dataId) {
        return JSON.readTree(cairn.get("/v1/cs/configs" + NAMES + dataId + "&show=all")
                        .body())
                .path("id")
                .asString();
    }

    @Test
    void changeSetDescriptionAndRollbackNameTheirRevisions() {
        long before = publish("change", "1");
        HttpResponse<String> set = cairn.send(request("/v3/admin/cs/config/changeset")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("""
                        {"changes":[{"dataId":"change","groupName":"g","content":"2"},
                        {"dataId":"change.b","groupName":"g","content":"1"}]}""")));
        assertThat(revision(set)).isEqualTo(before + 2);

        HttpResponse<String> described = cairn.send(request("/v3/admin/cs/config/metadata" + NAMES + "change&desc=new")
                .PUT(BodyPublishers.noBody()));
        assertThat(revision(described)).isEqualTo(before + 3);

        JsonNode change = JSON.readTree(cairn.get("/v3/admin/cs/history/list" + NAMES + "change")
                        .body())
                .path("data")
                .path("pageItems")
                .get(0);
        HttpResponse<String> back = cairn.post(
                "/v3/admin/cs/history/rollback",
                Map.of(
                        "dataId",
                        "change",
                        "groupName",
                        "g",
                        "nid",
                        change.path("id").asString()));
        assertThat(revision(back)).isEqualTo(before + 4);
    }

    @Test
    void importsAndClonesNameTheLastRevision() throws Exception {
        long before = publish("transfer", "1");
        byte[] archive = zip("imported/a", "1", "imported/b", "1");
        long imports = 0;
        for (String path : new String[] {
            "/v1/cs/configs?import=true&namespace=&policy=OVERWRITE",
            "/v3/admin/cs/config/import?namespaceId=public&policy=OVERWRITE",
            "/v3/console/cs/config/import?namespaceId=public&policy=OVERWRITE"
        }) {
            imports++;
            assertThat(revision(imported(path, archive))).as(path).isEqualTo(before + 2 * imports);
        }
        assertThat(revision(imported("/v3/admin/cs/config/import?namespaceId=public&dryRun=true", archive)))
                .as("a dry run")
                .isZero();
        assertThat(revision(imported("/v3/admin/cs/config/import?namespaceId=public&policy=SKIP", archive)))
                .as("all are there")
                .isZero();

        String items =
                "[{\"configId\":%s,\"targetGroupName\":\"g\",\"targetDataId\":\"copy\"}]".formatted(id("transfer"));
        long clones = before + 2 * imports;
        for (String path : new String[] {
            "/v1/cs/configs?clone=true&tenant=&policy=OVERWRITE",
            "/v3/admin/cs/config/clone?namespaceId=public&policy=OVERWRITE",
            "/v3/console/cs/config/clone?targetNamespaceId=public&policy=OVERWRITE"
        }) {
            clones++;
            HttpResponse<String> cloned = cairn.send(
                    request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(items)));
            assertThat(revision(cloned)).as(path).isEqualTo(clones);
        }
    }

    private static byte[] zip(String... namesAndContents) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (int i = 0; i < namesAndContents.length; i += 2) {
                zip.putNextEntry(new ZipEntry(namesAndContents[i]));
                zip.write(namesAndContents[i + 1].getBytes(UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    private static HttpResponse<String> imported(String path, byte[] archive) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n".getBytes(UTF_8));
        body.writeBytes(archive);
        body.writeBytes("\r\n--b--\r\n".getBytes(UTF_8));
        return cairn.send(request(path)
                .header("Content-Type", "multipart/form-data; boundary=b")
                .POST(BodyPublishers.ofByteArray(body.toByteArray())));
    }

    @Test
    void refusedPublishNamesNoRevision() {
        publish("cas", "1");
        HttpResponse<String> refused = cairn.post(
                "/v3/admin/cs/config",
                Map.of("dataId", "cas", "groupName", "g", "content", "2"),
                "casMd5",
                "00000000000000000000000000000000");

        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(refused.headers().firstValue(RevisionHeaders.REVISION)).isEmpty();
    }

    @Test
    void messagesNameTheRevisionInTheirHeaders() {
        try (WireClient client = cairn.newClient()) {
            long before = publish("wire", "1");
            Payload published = client.call(message("ConfigPublishRequest", "wire", ",\"content\":\"2\"", Map.of()));
            assertThat(published.header(RevisionHeaders.REVISION)).isEqualTo(Long.toString(before + 1));
            assertThat(published.header(RevisionHeaders.VISIBLE)).isNull();
            Payload removed = client.call(message("ConfigRemoveRequest", "wire", "", Map.of()));
            assertThat(removed.header(RevisionHeaders.REVISION)).isEqualTo(Long.toString(before + 2));
            Payload nothing = client.call(message("ConfigRemoveRequest", "wire", "", Map.of()));
            assertThat(nothing.header(RevisionHeaders.REVISION)).isNull();

            client.call(message(
                    "ConfigPublishRequest", "wire", ",\"content\":\"2\",\"additionMap\":{\"tag\":\"t\"}", Map.of()));
            Payload release = client.call(message("ConfigRemoveRequest", "wire", ",\"tag\":\"t\"", Map.of()));
            assertThat(release.header(RevisionHeaders.REVISION)).isEqualTo(Long.toString(before + 4));
        }
    }

    private static Payload message(String type, String dataId, String more, Map<String, String> headers) {
        String json = "{\"dataId\":\"" + dataId + "\",\"group\":\"g\"" + more + "}";
        return Payload.of(type, "127.0.0.1", headers, json.getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/cs/configs?group=g&dataId=min",
                "/v1/cs/configs?group=g&dataId=min&show=all",
                "/v1/cs/configs?search=accurate&group=g&dataId=min&pageNo=1&pageSize=10",
                "/v2/cs/config?group=g&dataId=min",
                "/v2/cs/config/searchDetail?search=accurate&group=g&dataId=min&pageNo=1&pageSize=10",
                "/v2/cs/history/configs?namespaceId=",
                "/v3/client/cs/config?groupName=g&dataId=min",
                "/v3/admin/cs/config?groupName=g&dataId=min",
                "/v3/console/cs/config?groupName=g&dataId=min",
                "/v3/admin/cs/config/list?groupName=g&dataId=min",
                "/v3/console/cs/config/searchDetail?groupName=g&dataId=min",
                "/v3/admin/cs/config/gray?groupName=g&dataId=min",
                "/v3/admin/cs/history/configs?namespaceId="
            })
    void readsTakeTheLeastRevision(String path) {
        long shown = publish("min", "1");

        HttpResponse<String> found = read(path, shown);
        assertThat(found.statusCode()).as(found.body()).isEqualTo(200);
        HttpResponse<String> behind = read(path, 1_000_000_000);
        assertThat(behind.statusCode()).as(behind.body()).isEqualTo(503);
        assertThat(behind.body())
                .containsPattern("this node shows revision \\d+, asked for 1000000000; try again or ask another node");
        HttpResponse<String> malformed = cairn.send(request(path).header(RevisionHeaders.MIN_REVISION, "latest"));
        assertThat(malformed.statusCode()).as(malformed.body()).isEqualTo(400);
        assertThat(malformed.body())
                .contains("Cairn-Min-Revision: 'latest' (expected: a revision, a whole number from 0)");
    }

    @Test
    void readIsAnsweredAsSoonAsTheRevisionIsShown() throws Exception {
        long before = publish("soon", "1");
        CompletableFuture<HttpResponse<String>> read = cairn.http()
                .sendAsync(
                        request("/v1/cs/configs?group=g&dataId=soon")
                                .header(RevisionHeaders.MIN_REVISION, Long.toString(before + 1))
                                .timeout(PATIENCE)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        publish("soon", "2");

        HttpResponse<String> answer = read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("2");
    }

    @Test
    void queryOverGrpcTakesTheLeastRevision() throws Exception {
        try (WireClient client = cairn.newClient()) {
            long before = publish("query", "1");
            assertThat(query(client, Long.toString(before)).path("content").asString())
                    .isEqualTo("1");
            CompletableFuture<Payload> waiting = client.callAsync(message(
                    "ConfigQueryRequest",
                    "query",
                    "",
                    Map.of(RevisionHeaders.MIN_REVISION, Long.toString(before + 1))));
            publish("query", "2");
            assertThat(WireClient.tree(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .path("content")
                            .asString())
                    .isEqualTo("2");

            JsonNode behind = query(client, "1000000000");
            assertThat(behind.path("errorCode").asInt()).isEqualTo(500);
            assertThat(behind.path("message").asString())
                    .matches("this node shows revision \\d+, asked for 1000000000; try again or ask another node");
            JsonNode malformed = query(client, "latest");
            assertThat(malformed.path("errorCode").asInt()).isEqualTo(400);
            assertThat(malformed.path("message").asString())
                    .isEqualTo("Cairn-Min-Revision: 'latest' (expected: a revision, a whole number from 0)");
        }
    }

    @Test
    void readsOverGrpcThatNameARevisionAreAnsweredWithTheOneThatIsShown() throws Exception {
        try (WireClient client = cairn.newClient()) {
            long revision = publish("shown", "1");
            String asked = Long.toString(revision);
            Map<String, String> named = Map.of(RevisionHeaders.MIN_REVISION, asked);
            String listen =
                    ",\"listen\":true,\"configListenContexts\":[{\"dataId\":\"shown\",\"group\":\"g\",\"md5\":\"\"}]";

            Payload read = client.call(message("ConfigQueryRequest", "shown", "", named));
            Payload listened = client.call(message("ConfigBatchListenRequest", "shown", listen, named));
            Payload absent = client.call(message("ConfigQueryRequest", "nothing", "", named));
            for (Payload answer : new Payload[] {read, listened, absent}) {
                assertThat(Long.parseLong(String.valueOf(answer.header(RevisionHeaders.REVISION))))
                        .isGreaterThanOrEqualTo(revision);
            }
            assertThat(WireClient.tree(listened).path("changedConfigs")).hasSize(1);

            Map<String, String> future = Map.of(RevisionHeaders.MIN_REVISION, "1000000000");
            Payload behind = client.call(message("ConfigBatchListenRequest", "shown", listen, future));
            assertThat(WireClient.tree(behind).path("success").asBoolean()).isFalse();
            assertThat(WireClient.tree(behind).path("message").asString()).contains("asked for 1000000000");
            assertThat(Long.parseLong(String.valueOf(behind.header(RevisionHeaders.REVISION))))
                    .isLessThan(1_000_000_000);

            Payload plain = client.call(message("ConfigQueryRequest", "shown", "", Map.of()));
            assertThat(plain.header(RevisionHeaders.REVISION)).isNull();
        }
    }

    private static JsonNode query(WireClient client, String minRevision) {
        return WireClient.tree(client.call(
                message("ConfigQueryRequest", "query", "", Map.of(RevisionHeaders.MIN_REVISION, minRevision))));
    }
}
