package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Clones in the spelling of either API, and conflict policies that do not exist. */
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
        assertThat(response.body()).contains("policy: 'NONSENSE' (expected: ABORT, SKIP or OVERWRITE)");
    }

    private static HttpResponse<String> postJson(String path, String body) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }
}
