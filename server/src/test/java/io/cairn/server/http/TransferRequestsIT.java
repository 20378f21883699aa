package io.cairn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Clones in the spelling of either API, conflict policies that do not exist, and imports of files that are not as expected. */
class TransferRequestsIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private static long id;

    @BeforeAll
    static void publishOne() {
        cairn.post("/v1/cs/configs", Map.of("dataId", "original", "group", "g", "content", "a: 1"));
        String found =
                cairn.get("/v1/cs/configs?show=all&dataId=original&group=g").body();
        id = JsonMapper.builder().build().readTree(found).path("id").asLong();
        assertThat(id).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/cs/configs?clone=true&tenant=, 1, cfgId, group, dataId",
        "/v1/cs/configs?clone=true&tenant=, 2, configId, targetGroupName, targetDataId",
        "/v3/admin/cs/config/clone?namespaceId=public, 3, cfgId, group, dataId",
        "/v3/admin/cs/config/clone?namespaceId=public, 4, configId, targetGroupName, targetDataId",
        "/v3/console/cs/config/clone?targetNamespaceId=public, 5, cfgId, group, dataId",
        "/v3/console/cs/config/clone?targetNamespaceId=public, 6, configId, targetGroupName, targetDataId"
    })
    void clonesInEitherSpelling(String path, int copy, String idField, String groupField, String dataIdField) {
        HttpResponse<String> response = postJson(
                path,
                "[{\"%s\":%d,\"%s\":\"g\",\"%s\":\"copy%d\"}]".formatted(idField, id, groupField, dataIdField, copy));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.body()).contains("\"succCount\":1");
        assertThat(cairn.get("/v1/cs/configs?group=g&dataId=copy" + copy).body())
                .isEqualTo("a: 1");
    }

    @Test
    void namesTheItemOfACloneThatHasNoId() {
        HttpResponse<String> response =
                postJson("/v3/admin/cs/config/clone?namespaceId=public", "[{\"dataId\":\"d\",\"group\":\"g\"}]");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("body: item 1: no configId");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/cs/configs?clone=true&tenant=&policy=NONSENSE",
                "/v1/cs/configs?import=true&namespace=&policy=NONSENSE",
                "/v3/admin/cs/config/clone?namespaceId=public&policy=NONSENSE",
                "/v3/admin/cs/config/import?namespaceId=public&policy=NONSENSE",
                "/v3/console/cs/config/import?namespaceId=public&policy=NONSENSE",
                "/v3/admin/cs/config/clone/namespace?sourceNamespaceId=public&namespaceId=public&policy=NONSENSE"
            })
    void rejectsAPolicyThatDoesNotExist(String path) {
        HttpResponse<String> response = cairn.send(HttpRequest.newBuilder(cairn.uri(path))
                .header("Content-Type", "multipart/form-data; boundary=b")
                .POST(HttpRequest.BodyPublishers.ofString("--b\r\nContent-Disposition: form-data; name=\"file\"; "
                        + "filename=\"a.zip\"\r\n\r\nx\r\n--b--\r\n")));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body())
                .contains("policy: 'NONSENSE' (expected: ABORT, ABORT_IF_DIFFERENT, SKIP or OVERWRITE)");
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

    private static JsonNode imported(String path, byte[] archive) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n".getBytes(UTF_8));
        body.writeBytes(archive);
        body.writeBytes("\r\n--b--\r\n".getBytes(UTF_8));
        HttpResponse<String> response = cairn.send(HttpRequest.newBuilder(cairn.uri(path))
                .header("Content-Type", "multipart/form-data; boundary=b")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray())));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.builder().build().readTree(response.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/cs/configs?import=true&namespace=&policy=OVERWRITE",
                "/v3/admin/cs/config/import?namespaceId=public&policy=OVERWRITE",
                "/v3/console/cs/config/import?namespaceId=public&policy=OVERWRITE",
                "/v3/console/cs/config/import?namespaceId=public&policy=OVERWRITE&dryRun=true"
            })
    void listsFilesThatCannotBeImportedInEveryVersion(String path) throws Exception {
        JsonNode listed = imported(
                path,
                zip(
                        "\u7ec4/\u540d.yml",
                        "x",
                        "G/b",
                        "1",
                        ".metadata.yml",
                        "metadata:\n- dataId: b\n  group: G\n  type: text\n"));
        assertThat(listed.path("data").path("unrecognizedData").toString())
                .isEqualTo("[{\"itemName\":\"\u7ec4/\u540d.yml\",\"reason\":\"not in .metadata.yml\"}]");

        JsonNode old = imported(path, zip("G/\u540d.yml", "x", "G/e", "", "G/b", "1"));
        assertThat(old.path("data").path("unrecognizedData").toString())
                .isEqualTo(
                        "[{\"itemName\":\"G/\u540d.yml\",\"reason\":\"Param 'dataId' is illegal, illegal characters"
                                + " should not appear in the param.\"},{\"itemName\":\"G/e\",\"reason\":\"its content is empty\"}]");
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/cs/configs?import=true&namespace=, \u5bfc\u5165\u7684\u6587\u4ef6\u6570\u636e\u4e3a\u7a7a",
        "/v3/admin/cs/config/import?namespaceId=public, Imported file data is empty",
        "/v3/console/cs/config/import?namespaceId=public, Imported file data is empty",
        "/v3/console/cs/config/import?namespaceId=public&dryRun=true, Imported file data is empty"
    })
    void namesTheCauseOfAFileWithoutConfigurations(String path, String prefix) throws Exception {
        assertThat(imported(path, new byte[] {0x1f, (byte) 0x8b, 8, 0})
                        .path("message")
                        .asString())
                .isEqualTo(prefix + ": The file is a gzip file (expected: a zip archive)");
        assertThat(imported(path, new byte[0]).path("message").asString())
                .isEqualTo(prefix + ": The file is empty, it has 0 bytes (expected: a zip archive)");
        assertThat(imported(path, zip("G/", "")).path("message").asString())
                .isEqualTo(prefix + ": There are only folders in the archive (expected: files named <group>/<dataId>)");
    }

    private static HttpResponse<String> postJson(String path, String body) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }
}
