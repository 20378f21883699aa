package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.InspectableServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The users, permissions and tokens in a backup of one server with logins that is restored into another. */
@Tag("full")
class BackupAccessIT {

    @RegisterExtension
    static final InspectableServer from = AuthenticatedServer.open();

    @RegisterExtension
    static final InspectableServer to = AuthenticatedServer.open();

    private static final String READ = "/v3/client/cs/config";

    private final AuthenticatedServer first = new AuthenticatedServer(from);
    private final AuthenticatedServer second = new AuthenticatedServer(to);

    @TempDir
    Path folder;

    @Test
    void restoresUsersPermissionsTokensAndTheAuditLog() throws Exception {
        String admin = first.token("nacos", first.adminPassword());
        String anna = first.userWith(admin, "anna", "dev:*:config/shop*", "rw");
        assertThat(publish(first, anna, "dev", "shop.yaml")).isEqualTo(200);
        String machine = AuthenticatedServer.tree(first.call(
                        admin,
                        "POST",
                        "/v3/admin/auth/token",
                        "name",
                        "ci",
                        "ttlSeconds",
                        "3600",
                        "scopes",
                        "r dev:*:config/*"))
                .path("data")
                .path("token")
                .asString();
        assertThat(read(first, machine, "dev", "shop.yaml")).isEqualTo(200);
        Path archive = folder.resolve("first.zip");

        assertThat(backup(null, archive)).isEqualTo(403);
        assertThat(backup(anna, archive)).isEqualTo(403);
        assertThat(backup(machine, archive)).isEqualTo(403);
        assertThat(backup(admin, archive)).isEqualTo(200);

        String other = second.token("nacos", second.adminPassword());
        String ben = second.userWith(other, "ben", "*:*:*", "rw");
        assertThat(restore(ben, archive).statusCode()).isEqualTo(403);
        HttpResponse<String> restored = restore(other, archive);
        assertThat(restored.statusCode()).as(restored.body()).isEqualTo(200);
        assertThat(restored.body()).contains("\"accounts\":true");

        // A user with its password and permissions.
        String annaThere = second.token("anna", "pw-of-anna");
        assertThat(read(second, annaThere, "dev", "shop.yaml")).isEqualTo(200);
        assertThat(publish(second, annaThere, "dev", "shop.yaml")).isEqualTo(200);
        assertThat(publish(second, annaThere, "dev", "other.yaml")).isEqualTo(403);
        assertThat(publish(second, annaThere, "public", "shop.yaml")).isEqualTo(403);
        // The token of a machine; the archive has only its hash.
        assertThat(read(second, machine, "dev", "shop.yaml")).isEqualTo(200);
        assertThat(publish(second, machine, "dev", "shop.yaml")).isEqualTo(403);
        // The administrator is the one of the archive, and the former users of this server are gone.
        String adminThere = second.token("nacos", first.adminPassword());
        assertThat(second.login("nacos", second.adminPassword()).statusCode()).isEqualTo(403);
        assertThat(second.login("ben", "pw-of-ben").statusCode()).isEqualTo(403);
        assertThat(read(second, ben, "dev", "shop.yaml")).isEqualTo(403);
        // The entries of the first server, and the entry of the restore.
        String audit = second.call(adminThere, "GET", "/v3/admin/auth/audit/list", "pageSize", "500")
                .body();
        assertThat(audit).contains("shop.yaml").contains("\"anna\"").contains("backup.restore");
    }

    private static int publish(AuthenticatedServer server, String token, String namespace, String dataId) {
        return server.call(
                        token,
                        "POST",
                        "/v3/admin/cs/config",
                        "namespaceId",
                        namespace,
                        "groupName",
                        "G",
                        "dataId",
                        dataId,
                        "content",
                        "a: " + System.nanoTime())
                .statusCode();
    }

    private static int read(AuthenticatedServer server, String token, String namespace, String dataId) {
        return server.call(token, "GET", READ, "namespaceId", namespace, "groupName", "G", "dataId", dataId)
                .statusCode();
    }

    private static int backup(String token, Path to) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(from, "backup?audit=true"));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofFile(to))
                .statusCode();
    }

    private HttpResponse<String> restore(String token, Path archive) throws Exception {
        return second.send(HttpRequest.newBuilder(uri(to, "restore?overwrite=true"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofFile(archive)));
    }

    private static URI uri(InspectableServer server, String path) {
        return URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos/v3/admin/core/" + path);
    }
}
