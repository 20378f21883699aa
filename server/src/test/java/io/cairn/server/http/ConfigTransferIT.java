package io.cairn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Export, import and clone over version 1, against what was recorded of Nacos 2.5.1. */
class ConfigTransferIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String LIST = """
            metadata:
            - appName: app1
              dataId: e1.yaml
              desc: about
              group: G1
              type: yaml
            - appName: ''
              dataId: e2.txt
              group: G2
              type: text
            """;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @AfterEach
    void nothingIsStored() throws Exception {
        for (JsonNode namespace : JSON.createArrayNode().add("").add("exp").add("big")) {
            for (String entry : entries(
                            get("exportV2=true&tenant=" + namespace.asString()).body())
                    .keySet()) {
                if (entry.contains("/")) {
                    String[] names = entry.split("/");
                    send(HttpRequest.newBuilder(uri(
                                    "dataId=" + names[1] + "&group=" + names[0] + "&tenant=" + namespace.asString()))
                            .DELETE());
                }
            }
        }
    }

    private static URI uri(String query) {
        return URI.create("http://127.0.0.1:" + cairn.server().httpPort() + "/nacos/v1/cs/configs?" + query);
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofByteArray());
    }

    private HttpResponse<byte[]> get(String query) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(query)));
    }

    private void publish(String tenant, String group, String dataId, String content, String more) throws Exception {
        HttpResponse<byte[]> response = send(HttpRequest.newBuilder(uri("tenant=" + tenant + more))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(
                        "dataId=" + dataId + "&group=" + group + "&content=" + URLEncoder.encode(content, UTF_8))));
        assertThat(response.statusCode()).isEqualTo(200);
    }

    private String upload(String query, byte[] file) throws Exception {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes("--BB\r\nContent-Disposition: form-data; name=\"src_user\"\r\n\r\nanna\r\n".getBytes(UTF_8));
        body.writeBytes(("--BB\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n"
                        + "Content-Type: application/zip\r\n\r\n")
                .getBytes(UTF_8));
        body.writeBytes(file);
        body.writeBytes("\r\n--BB--\r\n".getBytes(UTF_8));
        HttpResponse<byte[]> response = send(HttpRequest.newBuilder(uri("import=true&" + query))
                .header("Content-Type", "multipart/form-data; boundary=BB")
                .POST(BodyPublishers.ofByteArray(body.toByteArray())));
        assertThat(response.statusCode()).as(new String(response.body(), UTF_8)).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json;charset=UTF-8");
        return new String(response.body(), UTF_8);
    }

    private static byte[] zip(Map<String, String> entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue().getBytes(UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    private static Map<String, String> entries(byte[] archive) throws IOException {
        Map<String, String> entries = new LinkedHashMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                entries.put(entry.getName(), new String(zip.readAllBytes(), UTF_8));
            }
        }
        return entries;
    }

    private static byte[] recordedArchive() throws IOException {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put("G1/e1.yaml", "k: v\n");
        entries.put("G2/e2.txt", "plain");
        entries.put(".metadata.yml", LIST);
        return zip(entries);
    }

    @Test
    void exportsAreAsRecorded() throws Exception {
        publish("exp", "G1", "e1.yaml", "k: v\n", "&type=yaml&appName=app1&desc=about");
        publish("exp", "G2", "e2.txt", "plain", "");

        HttpResponse<byte[]> old = get("export=true&tenant=exp&dataId=&group=&appName=&ids=");
        assertThat(old.headers().firstValue("Content-Type")).contains("application/octet-stream;charset=UTF-8");
        assertThat(old.headers().firstValue("Content-Disposition").orElseThrow())
                .matches("attachment;filename=nacos_config_export_\\d{14}\\.zip");
        assertThat(entries(old.body()))
                .containsExactly(
                        Map.entry("G1/e1.yaml", "k: v\n"),
                        Map.entry("G2/e2.txt", "plain"),
                        Map.entry(".meta.yml", "G1.e1~yaml.app=app1\r\n"));
        HttpResponse<byte[]> listed = get("exportV2=true&tenant=exp&dataId=&group=&appName=&ids=");
        assertThat(entries(listed.body()).get(".metadata.yml")).isEqualTo(LIST);
        assertThat(entries(get("exportV2=true&tenant=exp&group=G2").body()))
                .containsOnlyKeys("G2/e2.txt", ".metadata.yml");
    }

    @Test
    void importsAreAnsweredAsRecorded() throws Exception {
        assertThat(upload("namespace=nosuch", recordedArchive()))
                .isEqualTo("{\"code\":100001,\"message\":\"目标 namespace 不存在\",\"data\":{\"succCount\":0}}");
        for (byte[] file : new byte[][] {zip(Map.of()), "garbage".getBytes(UTF_8)}) {
            assertThat(upload("namespace=", file))
                    .isEqualTo("{\"code\":100005,\"message\":\"导入的文件数据为空\",\"data\":{\"succCount\":0}}");
        }
        assertThat(upload("namespace=", zip(Map.of("G/a", "1", ".metadata.yml", "metadata:\n- dataId: a\n"))))
                .isEqualTo("{\"code\":100002,\"message\":\"导入的元数据非法\",\"data\":{\"succCount\":0,"
                        + "\"reason\":\".metadata.yml: item 1 (line 2): no group for dataId 'a'\"}}");
        assertThat(upload("namespace=", recordedArchive()))
                .isEqualTo("{\"code\":200,\"message\":\"import success\",\"data\":{\"succCount\":2,\"skipCount\":0}}");
        assertThat(upload("namespace=&policy=ABORT", recordedArchive()))
                .isEqualTo(
                        "{\"code\":200,\"message\":\"import success\",\"data\":{\"skipData\":[{\"dataId\":\"e2.txt\","
                                + "\"group\":\"G2\"}],\"succCount\":0,\"failData\":[{\"dataId\":\"e1.yaml\",\"group\":\"G1\"}],"
                                + "\"skipCount\":1}}");
        assertThat(upload("namespace=&policy=SKIP", recordedArchive()))
                .isEqualTo(
                        "{\"code\":200,\"message\":\"import success\",\"data\":{\"skipData\":[{\"dataId\":\"e1.yaml\","
                                + "\"group\":\"G1\"},{\"dataId\":\"e2.txt\",\"group\":\"G2\"}],\"succCount\":0,\"skipCount\":2}}");
        assertThat(upload("namespace=&policy=OVERWRITE", recordedArchive()))
                .isEqualTo("{\"code\":200,\"message\":\"import success\",\"data\":{\"succCount\":2,\"skipCount\":0}}");
        assertThat(entries(get("exportV2=true&tenant=").body()).get(".metadata.yml"))
                .isEqualTo(LIST);
    }

    @Test
    void unrecognizedEntriesAreNamedAsRecordedAndWithTheReason() throws Exception {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put("top.txt", "x");
        entries.put("a/b/c.txt", "y");
        entries.put("G1/e1.yaml", "k: v\n");

        assertThat(upload("namespace=", zip(entries)))
                .isEqualTo("{\"code\":200,\"message\":\"import success\",\"data\":{\"succCount\":1,"
                        + "\"unrecognizedCount\":2,\"skipCount\":0,"
                        + "\"unrecognizedData\":[{\"itemName\":\"top.txt\",\"reason\":\"not named <group>/<dataId>\"},"
                        + "{\"itemName\":\"a/b/c.txt\",\"reason\":\"not named <group>/<dataId>\"}]}}");
    }

    @Test
    void hostileArchivesAreRefusedWithTheReason() throws Exception {
        assertThat(upload("namespace=", zip(Map.of("../a", "x"))))
                .startsWith(
                        "{\"code\":100005,\"message\":\"导入的文件数据为空: There is no configuration in the archive, but '../a' "
                                + "(its path leads out of the archive) (expected: ")
                .endsWith("\"data\":{\"succCount\":0}}");
        assertThat(upload("namespace=", zip(Map.of("G/a", " ")))).contains("\"code\":100003", "G/a: content is blank");
    }

    private String cloned(String query, String body) throws Exception {
        HttpResponse<byte[]> response = send(HttpRequest.newBuilder(uri("clone=true&tenant=&" + query))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
        return new String(response.body(), UTF_8);
    }

    @Test
    void clonesAreAnsweredAsRecorded() throws Exception {
        HttpResponse<byte[]> nowhere = send(HttpRequest.newBuilder(uri("clone=true"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("[{\"cfgId\": 1}]")));
        assertThat(nowhere.statusCode()).isEqualTo(500);
        assertThat(new String(nowhere.body(), UTF_8))
                .contains("&#39;tenant&#39;")
                .contains("is not present");
        assertThat(cloned("", "[]")).isEqualTo("{\"code\":100006,\"message\":\"没有选择任何配置\",\"data\":{\"succCount\":0}}");
        publish("exp", "G1", "e1.yaml", "k: v\n", "&type=yaml");
        String body = null;
        // The only row there is has a small id; which one depends on the tests before.
        for (int id = 1; body == null && id < 10_000; id++) {
            String tried = "[{\"cfgId\": " + id + ", \"dataId\": \"clone.yaml\", \"group\": \"G\"}]";
            if (cloned("", tried)
                    .equals("{\"code\":200,\"message\":\"Clone Completed Successfully\","
                            + "\"data\":{\"succCount\":1,\"skipCount\":0}}")) {
                body = tried;
            }
        }
        assertThat(body).isNotNull();
        assertThat(cloned("policy=ABORT", body))
                .isEqualTo("{\"code\":200,\"message\":\"Clone Completed Successfully\",\"data\":{\"succCount\":0,"
                        + "\"failData\":[{\"dataId\":\"clone.yaml\",\"group\":\"G\"}],\"skipCount\":0}}");
        assertThat(cloned("policy=SKIP", body))
                .isEqualTo(
                        "{\"code\":200,\"message\":\"Clone Completed Successfully\",\"data\":{\"skipData\":[{\"dataId\":"
                                + "\"clone.yaml\",\"group\":\"G\"}],\"succCount\":0,\"skipCount\":1}}");
        assertThat(entries(get("exportV2=true&tenant=").body())).containsEntry("G/clone.yaml", "k: v\n");
    }

    @Test
    void aLargeExportComesWholeAndConnectionsGoOn() throws Exception {
        Random random = new Random(1);
        Map<String, String> contents = new LinkedHashMap<>();
        for (int i = 0; i < 12; i++) {
            StringBuilder content = new StringBuilder();
            while (content.length() < 500_000) {
                content.append(Long.toString(random.nextLong(), 36));
            }
            contents.put("G/d" + i, content.toString());
            publish("big", "G", "d" + i, content.toString(), "");
        }
        for (int i = 0; i < 3; i++) {
            Map<String, String> exported =
                    entries(get("exportV2=true&tenant=big").body());
            exported.remove(".metadata.yml");
            assertThat(exported).isEqualTo(contents);
        }
        HttpResponse<byte[]> head =
                send(HttpRequest.newBuilder(uri("exportV2=true&tenant=big")).method("HEAD", BodyPublishers.noBody()));
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValueAsLong("Content-Length").orElseThrow())
                .isGreaterThan(3_000_000);
        assertThat(upload("namespace=&policy=OVERWRITE", zip(contents))).contains("\"succCount\":12");
    }

    @Test
    void pushesImportedConfigurationsToListeners() throws Exception {
        try (WireClient listener = cairn.newClient()) {
            listener.listen("pushed", "");
            upload("namespace=", zip(Map.of("DEFAULT_GROUP/pushed", "x")));

            assertThat(listener.nextChange()).isEqualTo("pushed");
        }
    }
}
