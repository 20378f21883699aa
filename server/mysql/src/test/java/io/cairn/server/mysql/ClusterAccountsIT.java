package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.testing.TestIssuer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes of a cluster know the same users, passwords and tokens. */
@Tag("full")
@Tag("mysql")
class ClusterAccountsIT {

    private static final List<Integer> NODES = List.of(0, 1);
    private static final Pattern TOKEN = Pattern.compile("\"accessToken\":\"([^\"]+)\"");

    private static final TestIssuer issuer = TestIssuer.start();

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfServers cluster;
    private static String adminPassword;
    private static String administrator;

    @BeforeAll
    static void start() throws IOException {
        schema = TestSchema.create(ClusterAccountsIT.class);
        cluster = ClusterOfServers.start(
                2,
                schema,
                folder,
                Map.of(
                        "nacos.core.auth.enabled",
                        "true",
                        "server.address",
                        "127.0.0.1",
                        "cairn.auth.oidc.issuer",
                        issuer.url(),
                        "cairn.auth.oidc.audiences",
                        TestIssuer.AUDIENCE,
                        // So long that a busy machine ends no barrier before both nodes show the change.
                        "cairn.cluster.visible-within",
                        "30s",
                        // So long that a password is still waited for when the last node is asked.
                        "cairn.auth.first-wait",
                        "60s"));
        adminPassword = Files.readString(cluster.home(0).resolve("data/auth/initial-admin-password"))
                .strip();
        administrator = token(0, "nacos", adminPassword);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        schema.close();
        issuer.close();
    }

    @Test
    void aUserIsKnownToBothNodesWhenItsCreationIsAnswered() {
        asAdministrator("POST", 0, "/nacos/v3/auth/user?username=ben&password=pw-of-ben-1");
        asAdministrator("POST", 0, "/nacos/v3/auth/role?role=readers&username=ben");
        asAdministrator("POST", 1, "/nacos/v3/auth/permission?role=readers&resource=dev:*:config/*&action=r");

        String token = token(1, "ben", "pw-of-ben-1");
        for (int node : NODES) {
            assertThat(access(node, token).body()).contains("\"ben\"");
            assertThat(readInDev(node, token))
                    .as("a missing configuration, on node %s", node)
                    .isEqualTo(404);
        }

        asAdministrator("DELETE", 1, "/nacos/v3/auth/permission?role=readers&resource=dev:*:config/*&action=r");
        for (int node : NODES) {
            assertThat(readInDev(node, token))
                    .as("without the right, on node %s", node)
                    .isEqualTo(403);
        }

        asAdministrator("PUT", 1, "/nacos/v3/auth/user?username=ben&newPassword=pw-of-ben-2");
        for (int node : NODES) {
            assertThat(login(node, "ben", "pw-of-ben-1").statusCode()).isEqualTo(403);
            assertThat(login(node, "ben", "pw-of-ben-2").statusCode()).isEqualTo(200);
        }

        asAdministrator("DELETE", 0, "/nacos/v3/auth/user?username=ben");
        assertThat(login(1, "ben", "pw-of-ben-2").statusCode()).isEqualTo(403);
    }

    @Test
    void aRuleOfTheIssuerAppliesOnBothNodesWhenItsChangeIsAnswered() {
        String token = issuer.token("4711").with("groups", List.of("platform")).text();
        for (int node : NODES) {
            await("the keys of the issuer")
                    .untilAsserted(
                            () -> assertThat(access(node, token).statusCode()).isEqualTo(200));
            assertThat(rules(node, token)).as("on node %s", node).isEqualTo(403);
        }

        String answer = cluster.call(
                        "POST",
                        0,
                        "/nacos/v3/admin/auth/rule?claim=groups&value=plat*&role=ROLE_ADMIN",
                        "accessToken",
                        administrator)
                .body();
        for (int node : NODES) {
            assertThat(rules(node, token)).as("with the rule, on node %s", node).isEqualTo(200);
        }

        Matcher id = Pattern.compile("\"id\":\"([0-9a-f]+)\"").matcher(answer);
        assertThat(id.find()).as(answer).isTrue();
        asAdministrator("DELETE", 1, "/nacos/v3/admin/auth/rule?id=" + id.group(1));
        for (int node : NODES) {
            assertThat(rules(node, token))
                    .as("without the rule, on node %s", node)
                    .isEqualTo(403);
        }
    }

    private static int rules(int node, String token) {
        return cluster.call("GET", node, "/nacos/v3/admin/auth/rule/list", "accessToken", token)
                .statusCode();
    }

    @Test
    void tokensOfANewSigningSecretAreGoodOnTheOtherNodeAtOnce() {
        String before = token(1, "nacos", adminPassword);

        asAdministrator("POST", 0, "/nacos/v3/admin/auth/secret");

        String after = token(0, "nacos", adminPassword);
        for (int node : NODES) {
            assertThat(access(node, after).statusCode())
                    .as("a token of the new secret, on node %s", node)
                    .isEqualTo(200);
            assertThat(access(node, before).statusCode())
                    .as("a token of the secret before, on node %s", node)
                    .isEqualTo(200);
        }
        assertThat(access(0, token(1, "nacos", adminPassword)).statusCode()).isEqualTo(200);
    }

    @Test
    void wrongPasswordsOnBothNodesCountTogether() {
        asAdministrator("POST", 0, "/nacos/v3/auth/user?username=eve&password=pw-of-eve-1");
        for (int guess = 0; guess < 5; guess++) {
            assertThat(login(guess % 2, "eve", "guess-" + guess).statusCode()).isEqualTo(403);
        }

        for (int node : NODES) {
            // A password that was wrong before is not counted again, so these requests lock nothing.
            String counted = "guess-" + node;
            await().pollInterval(Duration.ofMillis(20))
                    .untilAsserted(() ->
                            assertThat(login(node, "eve", counted).statusCode()).isEqualTo(429));
            assertThat(login(node, "eve", "pw-of-eve-1").statusCode())
                    .as("the right password while node %s waits", node)
                    .isEqualTo(429);
        }
    }

    @Test
    void aRightPasswordEndsTheCountOnBothNodes() {
        asAdministrator("POST", 0, "/nacos/v3/auth/user?username=fay&password=pw-of-fay-1");
        for (int guess = 0; guess < 4; guess++) {
            assertThat(login(0, "fay", "guess-" + guess).statusCode()).isEqualTo(403);
        }
        token(1, "fay", "pw-of-fay-1");

        // Fewer than the four that are allowed: the last message of node 0 may arrive after the right password.
        for (int guess = 4; guess < 7; guess++) {
            assertThat(login(1, "fay", "guess-" + guess).statusCode()).isEqualTo(403);
        }
        for (int node : NODES) {
            assertThat(login(node, "fay", "pw-of-fay-1").statusCode())
                    .as("on node %s", node)
                    .isEqualTo(200);
        }
    }

    private static void asAdministrator(String method, int node, String path) {
        cluster.ok(method, node, path, "accessToken", administrator);
    }

    private static HttpResponse<String> access(int node, String token) {
        return cluster.call("GET", node, "/nacos/v3/auth/access", "accessToken", token);
    }

    private static int readInDev(int node, String token) {
        return cluster.call("GET", node, "/nacos/v1/cs/configs?tenant=dev&group=g&dataId=a", "accessToken", token)
                .statusCode();
    }

    private static HttpResponse<String> login(int node, String user, String password) {
        return cluster.call(
                "POST",
                node,
                "/nacos/v1/auth/users/login?username=" + user + "&password=" + ClusterRegistry.encoded(password));
    }

    private static String token(int node, String user, String password) {
        HttpResponse<String> answer = login(node, user, password);
        Matcher token = TOKEN.matcher(answer.body());
        assertThat(token.find()).as(answer.body()).isTrue();
        return token.group(1);
    }
}
