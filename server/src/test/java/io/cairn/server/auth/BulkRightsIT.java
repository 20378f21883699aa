package io.cairn.server.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.InspectableServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * An operation on many configurations needs the permission for each of them; unreadable ones are treated as missing.
 */
class BulkRightsIT {

    private static final String V1 = "/v1/cs/configs";
    private static final String V3 = "/v3/admin/cs/config";

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open();

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static AuthenticatedServer server;
    private static String admin;
    /** Reads namespace {@code src}. */
    private static String reader;
    /** Reads and writes group {@code mine} of namespace {@code dst}, and reads group {@code mine} of {@code src}. */
    private static String owner;

    @BeforeAll
    static void configurations() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
        for (String namespace : new String[] {"src", "dst"}) {
            server.call(
                    admin, "POST", "/v3/admin/core/namespace", "namespaceId", namespace, "namespaceName", namespace);
        }
        reader = server.userWith(admin, "reader", "src:*:*", "r");
        owner = server.userWith(admin, "owner", "dst:mine:*", "rw");
        server.call(admin, "POST", "/v1/auth/permissions", "role", "Rowner", "resource", "src:mine:*", "action", "r");
        publish("src", "mine", "a");
        publish("src", "other", "b");
    }

    private static void publish(String namespace, String group, String dataId) {
        assertThat(server.call(
                                admin,
                                "POST",
                                V3,
                                "namespaceId",
                                namespace,
                                "groupName",
                                group,
                                "dataId",
                                dataId,
                                "content",
                                "x")
                        .statusCode())
                .isEqualTo(200);
    }

    /**
     * The path is about many configurations only when the request is a search; the permission check follows the same
     * decision.
     */
    @Test
    void aSearchParameterDoesNotReplaceThePermissionForTheConfiguration() {
        for (String search : new String[] {"", "x", "blur"}) {
            String[] inSource = {"search", search, "tenant", "src", "group", "other", "dataId", "b", "content", "y"};
            String[] inTarget = {"search", search, "tenant", "dst", "group", "other", "dataId", "b", "content", "y"};
            if (!search.equals("blur")) {
                assertThat(server.call(owner, "GET", V1, inSource).statusCode())
                        .as("GET, search=%s", search)
                        .isEqualTo(403);
                assertThat(server.call(reader, "GET", V1, inSource).body()).isEqualTo("x");
            }
            for (String method : new String[] {"POST", "DELETE"}) {
                assertThat(server.call(owner, method, V1, inTarget).statusCode())
                        .as("%s, search=%s", method, search)
                        .isEqualTo(403);
            }
        }
    }

    private static String id(String group, String dataId) {
        return AuthenticatedServer.tree(
                        server.call(admin, "GET", V3, "namespaceId", "src", "groupName", group, "dataId", dataId))
                .path("data")
                .path("id")
                .asString();
    }

    private static boolean isThere(String namespace, String group, String dataId) {
        return server.call(admin, "GET", V3, "namespaceId", namespace, "groupName", group, "dataId", dataId)
                        .statusCode()
                == 200;
    }

    private static void assertDenied(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
        assertThat(answer.body()).contains("authorization failed!");
    }

    private static HttpRequest.Builder request(String token, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/nacos" + path))
                .header("accessToken", token);
    }

    private static HttpResponse<String> json(String token, String path, String body) {
        return server.send(
                request(token, path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
    }

    private static Set<String> exported(String token, String path) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = HTTP.send(request(token, path).build(), BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(200);
        Set<String> names = new TreeSet<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(answer.body()))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                names.add(entry.getName());
            }
        }
        names.removeIf(name -> !name.contains("/"));
        return names;
    }

    @Test
    void anExportHoldsOnlyReadableConfigurations() throws Exception {
        for (String path : new String[] {
            V1 + "?exportV2=true&tenant=src",
            V1 + "?export=true&tenant=src",
            V3 + "/export?namespaceId=src",
            "/v3/console/cs/config/export2?namespaceId=src"
        }) {
            assertThat(exported(reader, path)).contains("mine/a", "other/b");
            assertThat(exported(owner, path)).containsExactly("mine/a");
        }
        assertDenied(server.call(reader, "GET", V3 + "/export", "namespaceId", "dst"));
        assertDenied(server.call(reader, "GET", V1, "exportV2", "true", "tenant", "dst"));
        // A request that only resembles an export needs the permission of the operation that it performs.
        assertDenied(
                server.call(owner, "GET", V1, "export", "false", "tenant", "src", "group", "other", "dataId", "b"));
    }

    private static HttpResponse<String> upload(String token, String path, String... entries) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(zipped)) {
            for (String entry : entries) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write("x".getBytes(UTF_8));
            }
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(
                "--BB\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n".getBytes(UTF_8));
        body.writeBytes(zipped.toByteArray());
        body.writeBytes("\r\n--BB--\r\n".getBytes(UTF_8));
        return server.send(request(token, path)
                .header("Content-Type", "multipart/form-data; boundary=BB")
                .POST(BodyPublishers.ofByteArray(body.toByteArray())));
    }

    @Test
    void anImportNeedsThePermissionForEachConfiguration() throws Exception {
        for (String path : new String[] {V1 + "?import=true&namespace=dst", V3 + "/import?namespaceId=dst"}) {
            assertDenied(upload(reader, path, "mine/i1"));
            assertDenied(upload(owner, path, "mine/i1", "other/i2"));
            assertThat(isThere("dst", "mine", "i1")).isFalse();
            assertThat(upload(owner, path, "mine/i1").body()).contains("\"succCount\":1");
            assertThat(isThere("dst", "mine", "i1")).isTrue();
            server.call(admin, "DELETE", V3, "namespaceId", "dst", "groupName", "mine", "dataId", "i1");
        }
        assertDenied(upload(owner, V3 + "/import?namespaceId=src&dryRun=true", "mine/i1"));
        assertDenied(upload(owner, V3 + "/import?namespaceId=dst&dryRun=true", "other/i1"));
    }

    @Test
    void aCloneNeedsReadOnTheSourceAndWriteOnTheTarget() {
        String mine = "[{\"configId\":" + id("mine", "a") + "}]";
        String others = "[{\"configId\":" + id("other", "b") + ",\"targetGroupName\":\"mine\"}]";
        String moved = "[{\"configId\":" + id("mine", "a") + ",\"targetGroupName\":\"other\"}]";

        assertDenied(json(reader, V3 + "/clone?namespaceId=dst", mine));
        assertThat(json(owner, V3 + "/clone?namespaceId=dst", others).body()).contains("100005");
        assertDenied(json(owner, V3 + "/clone?namespaceId=dst", moved));
        assertDenied(json(owner, V3 + "/clone?namespaceId=src", mine));
        assertThat(isThere("dst", "mine", "b")).isFalse();
        assertThat(isThere("dst", "other", "a")).isFalse();
        // A clone of the namespace may have brought it.
        server.call(admin, "DELETE", V3, "namespaceId", "dst", "groupName", "mine", "dataId", "a");
        assertThat(json(owner, V3 + "/clone?namespaceId=dst", mine).body()).contains("\"succCount\":1");
        assertThat(json(owner, V1 + "?clone=true&tenant=dst&policy=SKIP", mine.replace("configId", "cfgId"))
                        .body())
                .contains("\"skipCount\":1");
    }

    @Test
    void cloningANamespaceTakesReadableConfigurationsAndNeedsWriteForEach() {
        String clone = V3 + "/clone/namespace";
        JsonNode preview = AuthenticatedServer.tree(server.call(
                owner,
                "POST",
                clone,
                "sourceNamespaceId",
                "src",
                "namespaceId",
                "dst",
                "dryRun",
                "true",
                "policy",
                "OVERWRITE"));

        assertThat(preview.path("data").path("items")).hasSize(1);
        assertDenied(server.call(reader, "POST", clone, "sourceNamespaceId", "src", "namespaceId", "dst"));
        JsonNode whole = AuthenticatedServer.tree(server.call(
                admin, "POST", clone, "sourceNamespaceId", "src", "namespaceId", "dst", "policy", "OVERWRITE"));
        assertThat(whole.path("data").path("succCount").asInt()).isGreaterThanOrEqualTo(2);
        assertThat(isThere("dst", "other", "b")).isTrue();
        assertThat(server.call(admin, "POST", clone, "sourceNamespaceId", "src", "namespaceId", "src")
                        .body())
                .contains("source and target");
        assertThat(server.call(admin, "POST", clone, "namespaceId", "dst").body())
                .contains("sourceNamespaceId");
        server.call(admin, "DELETE", V3, "namespaceId", "dst", "groupName", "other", "dataId", "b");
    }

    @Test
    void aChangeSetNeedsThePermissionForEachChange() {
        String mine = "{\"namespaceId\":\"dst\",\"groupName\":\"mine\",\"dataId\":\"set\",\"content\":\"x\"}";
        String others = "{\"namespaceId\":\"dst\",\"groupName\":\"other\",\"dataId\":\"set\",\"content\":\"x\"}";

        assertDenied(json(owner, V3 + "/changeset", "{\"changes\":[" + mine + "," + others + "]}"));
        assertThat(isThere("dst", "mine", "set")).isFalse();
        assertDenied(json(reader, V3 + "/changeset", "{\"changes\":[" + mine + "]}"));
        assertThat(json(owner, V3 + "/changeset", "{\"changes\":[" + mine + "]}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void deletionsByIdNeedThePermissionForEachConfiguration() {
        publish("src", "mine", "keep");
        String kept = id("mine", "keep");

        assertDenied(server.call(owner, "DELETE", V3 + "/batch", "ids", kept));
        assertDenied(server.call(owner, "DELETE", V1, "delType", "ids", "ids", kept));
        assertDenied(server.call(reader, "DELETE", V3 + "/batch", "ids", kept));
        assertThat(isThere("src", "mine", "keep")).isTrue();
        assertThat(server.call(admin, "DELETE", V3 + "/batch", "ids", kept).statusCode())
                .isEqualTo(200);
        assertThat(isThere("src", "mine", "keep")).isFalse();
    }
}
