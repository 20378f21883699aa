package io.cairn.server.config.validation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Contents and their schemas on all roads by which they are stored. */
class BulkValidationIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String V3 = "/v3/admin/cs/config";
    private static final String BAD = "{\n  \"a\" 2\n}";
    private static final String PLACE = "content: line 2, column 7: ";
    private static final String SCHEMA =
            "{\"properties\": {\"port\": {\"type\": \"integer\"}}, \"required\": [\"port\"]}";
    private static final String UNFIT = "{\n  \"port\": \"x\"\n}";
    private static final String UNFIT_PLACE = "content: line 2, column 11: /port: ";
    private static final String LIST = """
            metadata:
            - dataId: good.json
              group: G
              type: json
            - dataId: bad.json
              group: G
              type: json
            """;

    @RegisterExtension
    static final CairnExtension warn = CairnExtension.temporary();

    @RegisterExtension
    static final CairnExtension refuse = CairnExtension.temporary().with("cairn.config.validation", "refuse");

    private static HttpResponse<String> publish(
            CairnExtension cairn, String dataId, String type, String content, String... more) {
        Map<String, String> form =
                new HashMap<>(Map.of("dataId", dataId, "groupName", "G", "content", content, "type", type));
        for (int i = 0; i < more.length; i += 2) {
            form.put(more[i], more[i + 1]);
        }
        return cairn.post(V3, form);
    }

    private static JsonNode data(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("data");
    }

    private static int status(CairnExtension cairn, String dataId, String namespace) {
        return cairn.get(V3 + "?groupName=G&dataId=" + dataId + "&namespaceId=" + namespace)
                .statusCode();
    }

    @Test
    void aSchemaStaysWithItsConfigurationAndChecksLaterContents() {
        for (CairnExtension cairn : new CairnExtension[] {refuse, warn}) {
            String[] asked = cairn == warn ? new String[] {"validate", "true"} : new String[0];
            assertThat(publish(cairn, "own.json", "json", "{\"port\": 1}", "schema", SCHEMA)
                            .statusCode())
                    .isEqualTo(200);

            HttpResponse<String> refused = publish(cairn, "own.json", "json", UNFIT, asked);

            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(JSON.readTree(refused.body()).path("data").asString()).startsWith(UNFIT_PLACE);
            assertThat(publish(cairn, "own.json", "json", "{\"port\": 2}", asked)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(publish(cairn, "own.json", "yaml", "port: x", asked).body())
                    .contains("content: line 1, column 7: /port: ");
            assertThat(publish(cairn, "own.json", "properties", "port=x", asked).body())
                    .contains("content: /port: ");
            // A blank one takes it away.
            assertThat(publish(cairn, "own.json", "json", UNFIT, "schema", "").statusCode())
                    .isEqualTo(200);
            assertThat(publish(cairn, "own.json", "json", UNFIT, asked).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aPublishOverGrpcIsCheckedAgainstItsSchema() {
        publish(refuse, "grpc.json", "json", "{\"port\": 1}", "schema", SCHEMA);
        try (WireClient client = refuse.newClient()) {
            JsonNode answer = client.request(
                    "ConfigPublishRequest",
                    JSON.writeValueAsString(Map.of(
                            "dataId",
                            "grpc.json",
                            "group",
                            "G",
                            "content",
                            UNFIT,
                            "additionMap",
                            Map.of("type", "json"))));

            assertThat(answer.path("resultCode").asInt()).isEqualTo(500);
            assertThat(answer.path("message").asString()).startsWith(UNFIT_PLACE);
        }
    }

    @Test
    void refusesAnInvalidSchemaWhereContentsAreChecked() {
        assertThat(publish(refuse, "none.json", "json", "{}", "schema", "{\"type\": 7}")
                        .body())
                .contains("schema: /type: ");
        assertThat(publish(warn, "none.json", "json", "{}", "schema", "mine", "validate", "true")
                        .body())
                .contains("schema: line 1, column ");
        assertThat(publish(refuse, "remote.json", "json", "{}", "schema", "{\"$ref\": \"http://127.0.0.1:9/x\"}")
                        .body())
                .contains("schema: ");
        assertThat(status(refuse, "none.json", "")).isEqualTo(404);
        // As Nacos does, where nobody asks for more.
        assertThat(publish(warn, "none.json", "json", "{}", "schema", "mine").statusCode())
                .isEqualTo(200);
    }

    private static HttpResponse<String> upload(CairnExtension cairn, String path, Map<String, String> entries) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(zipped)) {
            for (Map.Entry<String, String> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue().getBytes(UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(
                "--BB\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n".getBytes(UTF_8));
        body.writeBytes(zipped.toByteArray());
        body.writeBytes("\r\n--BB--\r\n".getBytes(UTF_8));
        return cairn.send(HttpRequest.newBuilder(cairn.uri(path))
                .header("Content-Type", "multipart/form-data; boundary=BB")
                .POST(BodyPublishers.ofByteArray(body.toByteArray())));
    }

    private static Map<String, String> archive() {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put("G/good.json", "{}");
        entries.put("G/bad.json", BAD);
        entries.put(".metadata.yml", LIST);
        return entries;
    }

    @Test
    void anImportWithAMalformedContentStoresNothingAndTheDryRunShowsIt() {
        for (CairnExtension cairn : new CairnExtension[] {refuse, warn}) {
            String asked = cairn == warn ? "&validate=true" : "";

            JsonNode preview = data(upload(cairn, V3 + "/import?namespaceId=&dryRun=true" + asked, archive()));
            HttpResponse<String> over3 = upload(cairn, V3 + "/import?namespaceId=" + asked, archive());
            HttpResponse<String> over1 = upload(cairn, "/v1/cs/configs?import=true&namespace=" + asked, archive());

            assertThat(preview.path("invalid").asInt()).isEqualTo(1);
            assertThat(preview.path("create").asInt()).isEqualTo(1);
            assertThat(preview.path("items").get(1).path("action").asString()).isEqualTo("INVALID");
            assertThat(preview.path("items").get(1).path("problem").asString()).startsWith(PLACE);
            assertThat(over3.statusCode()).isEqualTo(400);
            assertThat(over3.body()).contains("G/bad.json: " + PLACE);
            assertThat(over1.body()).contains("G/bad.json: " + PLACE);
            assertThat(status(cairn, "good.json", "")).isEqualTo(404);
        }
    }

    @Test
    void inWarnModeTheDryRunReportsProblemsAndTheImportStores() {
        JsonNode preview = data(upload(warn, V3 + "/import?namespaceId=&dryRun=true", archive()));

        assertThat(preview.path("invalid").asInt()).isZero();
        assertThat(preview.path("items").get(1).path("action").asString()).isEqualTo("CREATE");
        assertThat(preview.path("items").get(1).path("problem").asString()).startsWith(PLACE);
        assertThat(preview.path("items").get(0).path("problem").isNull()).isTrue();
        assertThat(data(upload(warn, V3 + "/import?namespaceId=", archive()))
                        .path("succCount")
                        .asInt())
                .isEqualTo(2);
        warn.delete(V3 + "?groupName=G&dataId=good.json");
        warn.delete(V3 + "?groupName=G&dataId=bad.json");
    }

    private static HttpResponse<String> json(CairnExtension cairn, String path, String body) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri(path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    @Test
    void aCloneWithAMalformedContentStoresNothingAndTheDryRunShowsIt() {
        warn.post("/v3/admin/core/namespace", Map.of("namespaceId", "copies", "namespaceName", "copies"));
        publish(warn, "source.json", "json", BAD);
        publish(warn, "fine.json", "json", "{}");
        String items = "[{\"configId\":" + id("fine.json") + "},{\"configId\":" + id("source.json") + "}]";
        String clone = V3 + "/clone?namespaceId=copies&validate=true";

        JsonNode preview = data(json(warn, clone + "&dryRun=true", items));
        HttpResponse<String> refused = json(warn, clone, items);

        assertThat(preview.path("invalid").asInt()).isEqualTo(1);
        assertThat(preview.path("items").get(1).path("problem").asString()).startsWith(PLACE);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("G/source.json: " + PLACE);
        assertThat(status(warn, "fine.json", "copies")).isEqualTo(404);
        assertThat(data(json(warn, V3 + "/clone?namespaceId=copies", items))
                        .path("succCount")
                        .asInt())
                .isEqualTo(2);
    }

    private static String id(String dataId) {
        return data(warn.get(V3 + "?groupName=G&dataId=" + dataId)).path("id").asString();
    }

    @Test
    void aChangeSetWithAMalformedContentStoresNothing() {
        for (CairnExtension cairn : new CairnExtension[] {refuse, warn}) {
            HttpResponse<String> refused =
                    json(cairn, V3 + "/changeset" + (cairn == warn ? "?validate=true" : ""), """
                    {"changes":[
                    {"dataId":"set.a","groupName":"G","content":"{}","type":"json"},
                    {"dataId":"set.b","groupName":"G","content":"{","type":"json"}]}""");

            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("set.b").contains("content: line 1, column 2");
            assertThat(status(cairn, "set.a", "")).isEqualTo(404);
        }
        assertThat(json(warn, V3 + "/changeset", """
                {"changes":[{"dataId":"set.c","groupName":"G","content":"{","type":"json"}]}""").statusCode()).isEqualTo(200);
    }

    @Test
    void aRollbackToAMalformedContentIsRefused() {
        publish(warn, "back.json", "json", BAD);
        publish(warn, "back.json", "json", "{}");
        String nid = data(warn.get("/v3/admin/cs/history/list?groupName=G&dataId=back.json"))
                .path("pageItems")
                .get(0)
                .path("id")
                .asString();
        Map<String, String> form = new HashMap<>(Map.of("dataId", "back.json", "groupName", "G", "nid", nid));

        form.put("validate", "true");
        HttpResponse<String> refused = warn.post("/v3/admin/cs/history/rollback", form);

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains(PLACE);
        assertThat(data(warn.get(V3 + "?groupName=G&dataId=back.json"))
                        .path("content")
                        .asString())
                .isEqualTo("{}");
        form.remove("validate");
        assertThat(warn.post("/v3/admin/cs/history/rollback", form).statusCode())
                .isEqualTo(200);
        assertThat(data(warn.get(V3 + "?groupName=G&dataId=back.json"))
                        .path("content")
                        .asString())
                .isEqualTo(BAD);
    }
}
