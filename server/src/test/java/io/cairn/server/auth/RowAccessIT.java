package io.cairn.server.auth;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Permissions are checked row by row, and a watch ends when its user loses the permission. */
class RowAccessIT {

    @RegisterExtension
    static final InspectableServer cairn =
            AuthenticatedServer.open().timed(timings -> timings.withAccountRefresh(Duration.ofMillis(300)));

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void logIn() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
    }

    private static JsonNode listen(WireClient client, String token, String... dataIds) {
        StringBuilder rows = new StringBuilder();
        for (String dataId : dataIds) {
            rows.append(rows.isEmpty() ? "" : ",")
                    .append("{\"group\":\"g\",\"tenant\":\"dev\",\"md5\":\"\",\"dataId\":\"")
                    .append(dataId)
                    .append("\"}");
        }
        return client.request(
                "ConfigBatchListenRequest",
                "{\"listen\":true,\"configListenContexts\":[" + rows + "]}",
                Map.of("accessToken", token));
    }

    private static JsonNode subscribe(WireClient client, String token, String service) {
        return client.request(
                "SubscribeServiceRequest",
                "{\"namespace\":\"dev\",\"serviceName\":\"" + service
                        + "\",\"groupName\":\"g\",\"subscribe\":true,\"clusters\":\"\"}",
                Map.of("accessToken", token));
    }

    private static void publish(String dataId) {
        assertThat(server.call(
                                admin,
                                "POST",
                                "/v1/cs/configs",
                                "tenant",
                                "dev",
                                "group",
                                "g",
                                "dataId",
                                dataId,
                                "content",
                                "x")
                        .body())
                .isEqualTo("true");
    }

    @Test
    void listensToAListWithoutItsForbiddenRow() {
        String token = server.userWith(admin, "partly", "dev:g:config/mine*", "r");
        try (WireClient client = cairn.newClient()) {
            JsonNode answer = listen(client, token, "mine-1", "theirs", "mine-2");
            assertThat(answer.path("success").asBoolean()).isTrue();
            assertThat(answer.path("changedConfigs").size()).isZero();
            assertThat(answer.path("message").asString())
                    .isEqualTo("authorization failed! not listened to, for they may not be read: 1,"
                            + " the first is dev:g:config/theirs");
            publish("theirs");
            publish("mine-2");
            assertThat(client.nextChange()).isEqualTo("mine-2");
            assertThat(client.pushes()).isEmpty();
            assertThat(listen(client, token, "theirs").path("errorCode").asInt())
                    .isEqualTo(403);
        }
    }

    @Test
    void showsOfAClientOnlyTheRowsThatMayBeRead() {
        String token = server.userWith(admin, "curious", "dev:g:config/mine*", "r");
        try (WireClient client = cairn.newClient()) {
            listen(client, admin, "mine-3", "theirs-3");
            String watchers = server.call(
                            admin,
                            "GET",
                            "/v3/admin/cs/config/watchers",
                            "namespaceId",
                            "dev",
                            "groupName",
                            "g",
                            "dataId",
                            "mine-3")
                    .body();
            Matcher id = Pattern.compile("\"connectionId\":\"([^\"]+)\"").matcher(watchers);
            assertThat(id.find()).as(watchers).isTrue();

            for (String path : List.of("/v3/admin/cs/client/configs", "/v3/admin/cs/client/history")) {
                assertThat(server.call(admin, "GET", path, "connectionId", id.group(1))
                                .body())
                        .contains("mine-3", "theirs-3");
                assertThat(server.call(token, "GET", path, "connectionId", id.group(1))
                                .body())
                        .contains("mine-3")
                        .doesNotContain("theirs-3");
            }
            listen(client, admin, "theirs-4");
            try (WireClient other = cairn.newClient()) {
                listen(other, admin, "theirs-5");
            }
            Pattern left = Pattern.compile("\"event\":\"LEFT\"[^}]*\"connectionId\":\"([^\"]+)\"");
            Pattern listened = Pattern.compile("\"connectionId\":\"([^\"]+)\"[^}]*\"dataId\":\"theirs-5\"");
            AtomicReference<String> stranger = new AtomicReference<>();
            await().until(() -> {
                String all = history(admin, "100");
                Matcher of = listened.matcher(all);
                stranger.set(of.find() ? of.group(1) : "");
                return left.matcher(all).results().anyMatch(end -> end.group(1).equals(stranger.get()));
            });
            assertThat(history(token, "100")).contains("mine-3").doesNotContain("theirs", stranger.get());
            assertThat(history(token, "1"))
                    .as("the newest row that may be seen, not an empty page")
                    .contains("\"event\"");
            for (String path : List.of("/v3/admin/cs/client/history", "/v3/admin/cs/config/watchers/held")) {
                assertThat(server.call(
                                        token,
                                        "GET",
                                        path,
                                        "connectionIds",
                                        id.group(1),
                                        "namespaceId",
                                        "dev",
                                        "groupName",
                                        "g",
                                        "dataId",
                                        "theirs-3")
                                .statusCode())
                        .as(path)
                        .isEqualTo(403);
            }
        }
    }

    private static String history(String token, String pageSize) {
        return server.call(token, "GET", "/v3/admin/cs/client/history", "ip", "127.0.0.1", "pageSize", pageSize)
                .body();
    }

    @Test
    void aRevokedPermissionEndsItsWatches() throws Exception {
        String token = server.userWith(admin, "leaving", "dev:g:*/*", "r");
        String other = server.userWith(admin, "staying", "dev:g:*/*", "r");
        try (WireClient listens = cairn.newClient();
                WireClient subscribes = cairn.newClient();
                WireClient stays = cairn.newClient()) {
            assertThat(listen(listens, token, "a").path("success").asBoolean()).isTrue();
            assertThat(subscribe(subscribes, token, "s").path("success").asBoolean())
                    .isTrue();
            assertThat(listen(stays, other, "a").path("success").asBoolean()).isTrue();

            assertThat(server.call(
                                    admin,
                                    "DELETE",
                                    "/v1/auth/permissions",
                                    "role",
                                    "Rleaving",
                                    "resource",
                                    "dev:g:*/*",
                                    "action",
                                    "r")
                            .statusCode())
                    .isEqualTo(200);

            listens.streamEnd().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            subscribes.streamEnd().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            publish("a");
            assertThat(stays.nextChange()).isEqualTo("a");
        }
    }

    @Test
    void aPasswordChangeEndsTheWatchesOfTheOldOne() throws Exception {
        String token = server.userWith(admin, "careful", "dev:g:*/*", "r");
        try (WireClient client = cairn.newClient()) {
            assertThat(listen(client, token, "b").path("success").asBoolean()).isTrue();
            assertThat(server.call(
                                    admin,
                                    "PUT",
                                    "/v1/auth/users",
                                    "username",
                                    "careful",
                                    "newPassword",
                                    "another-password")
                            .statusCode())
                    .isEqualTo(200);
            client.streamEnd().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aRevokedTokenEndsItsWatches() throws Exception {
        JsonNode created = AuthenticatedServer.tree(server.call(
                        admin,
                        "POST",
                        "/v3/admin/auth/token",
                        "name",
                        "machine",
                        "ttlSeconds",
                        "3600",
                        "scopes",
                        "r dev:g:config/*"))
                .path("data");
        String secret = created.path("token").asString();
        String id = created.path("id").asString();
        assertThat(secret).isNotBlank();
        try (WireClient client = cairn.newClient()) {
            assertThat(listen(client, secret, "c").path("success").asBoolean()).isTrue();
            assertThat(server.call(admin, "DELETE", "/v3/admin/auth/token", "id", id)
                            .statusCode())
                    .isEqualTo(200);
            client.streamEnd().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aPatternWatchEndsWithThePermissionForItsMatches() throws Exception {
        String token = server.userWith(admin, "patterns", "dev:g:*/*", "r");
        try (WireClient client = cairn.newClient()) {
            assertThat(client.request(
                                    "ConfigFuzzyWatchRequest",
                                    "{\"watchType\":\"WATCH\",\"initializing\":true,\"receivedGroupKeys\":[],"
                                            + "\"groupKeyPattern\":\"dev>>g>>x*\"}",
                                    Map.of("accessToken", token))
                            .path("success")
                            .asBoolean())
                    .isTrue();
            assertThat(server.call(admin, "DELETE", "/v1/auth/roles", "role", "Rpatterns", "username", "patterns")
                            .statusCode())
                    .isEqualTo(200);
            client.streamEnd().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void anExpiredTokenEndsItsWatches() {
        try (WireClient client = cairn.newClient();
                WireClient stays = cairn.newClient()) {
            // After the connections are open, which may take long on a busy machine.
            String secret = server.newToken(admin, "short", Duration.ofSeconds(2), "r dev:g:config/*");
            assertThat(listen(client, secret, "c").path("success").asBoolean()).isTrue();
            assertThat(listen(stays, admin, "c").path("success").asBoolean()).isTrue();

            await().until(() -> client.streamEnd().isDone());
            assertThat(stays.streamEnd()).isNotDone();
        }
    }

    @Test
    void aLongPollEndsWithThePermissionForItsKey() throws Exception {
        String token = server.userWith(admin, "polling", "dev:g:*/*", "r");
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest poll = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + cairn.httpPort() + "/nacos/v1/cs/configs/listener"))
                .header("accessToken", token)
                .header("Long-Pulling-Timeout", "600000")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("Listening-Configs=polled%02g%02%02dev%01"))
                .build();
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(poll, HttpResponse.BodyHandlers.ofString());
        ConfigListeners listeners = cairn.part(ConfigListeners.class);
        await().until(() -> listeners.parkedPolls() > 0);

        assertThat(server.call(admin, "DELETE", "/v1/auth/roles", "role", "Rpolling", "username", "polling")
                        .statusCode())
                .isEqualTo(200);

        // Long before its timeout.
        assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body()).isEmpty();
        assertThat(http.send(poll, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(403);
    }
}
