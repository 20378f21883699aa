package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.storage.access.JdbcAccountStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A server that asks who calls: first start, login, users and their rights, tokens, the audit. */
class AccessIT {

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open()
            // No wait is over before the requests of a test, also on a busy machine.
            .with("cairn.auth.first-wait", "60s");

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void logIn() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
    }

    @Test
    void theFirstStartMakesSecretsThatOnlyTheirOwnerReads() throws Exception {
        Path file = cairn.part(SecretFolder.class).passwordFile();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.resolveSibling("signing-keys"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        HttpResponse<String> login = server.login("nacos", server.adminPassword());
        assertThat(AuthenticatedServer.tree(login).path("mustChangePassword").asBoolean())
                .isTrue();
        assertThat(AuthenticatedServer.tree(login).path("tokenTtl").asInt()).isEqualTo(18_000);
        assertThat(login.headers().firstValue("Authorization").orElse("")).startsWith("Bearer ey");
        assertThat(AuthenticatedServer.tree(server.call(admin, "GET", "/v3/auth/access"))
                        .path("data")
                        .path("globalAdmin")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void onlyOneCallerBecomesTheFirstUser() {
        assertThat(server.call(null, "POST", "/v1/auth/users/admin", "password", "mine")
                        .body())
                .isEqualTo("{\"code\":409,\"message\":null,\"data\":\"have admin user cannot use it\"}");
        assertThat(server.call(null, "POST", "/v3/auth/user/admin", "password", "mine")
                        .body())
                .isEqualTo("{\"code\":409,\"message\":\"have admin user cannot use it.\",\"data\":null}");
        assertThat(server.login("nacos", "mine").statusCode()).isEqualTo(403);
        assertThat(server.login("nacos", "nacos").statusCode()).isEqualTo(403);
    }

    @Test
    void refusalsHaveTheTextsThatClientsKnow() {
        String[] config = {"dataId", "x", "group", "DEFAULT_GROUP"};
        assertThat(server.login("nobody", "x").body()).isEqualTo("user not found!");
        HttpResponse<String> none = server.call(null, "GET", "/v1/cs/configs", config);
        assertThat(none.statusCode()).isEqualTo(403);
        assertThat(none.headers().firstValue("Content-Type")).hasValue("application/json;charset=UTF-8");
        assertThat(AuthenticatedServer.tree(none).path("message").asString()).isEqualTo("user not found!");
        assertThat(AuthenticatedServer.tree(none).path("path").asString()).isEqualTo("/nacos/v1/cs/configs");
        assertThat(message(server.call("garbage", "GET", "/v1/cs/configs", config)))
                .isEqualTo("token invalid!");
        assertThat(message(server.call(admin + "x", "GET", "/v1/cs/configs", config)))
                .isEqualTo("Invalid signature");
        assertThat(message(server.call(null, "GET", "/v3/client/cs/config", "dataId", "x", "groupName", "g")))
                .isEqualTo("Code: 401, Message: User not found! Please check user exist or password is right!.");
    }

    @Test
    void noHeaderButATokenOrAPasswordOpensAnything() {
        for (String[] header : new String[][] {
            {"User-Agent", "Nacos-Server"},
            {"peer", "peer"},
            {"serverIdentity", "security"},
            {"X-Forwarded-For", "127.0.0.1"},
            {
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString("nacos:nacos".getBytes(StandardCharsets.UTF_8))
            }
        }) {
            assertThat(server.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort()
                                            + "/nacos/v1/auth/users?pageNo=1&pageSize=10"))
                                    .header(header[0], header[1]))
                            .statusCode())
                    .as(header[0])
                    .isEqualTo(403);
        }
    }

    @Test
    void aTokenIsTakenFromWhereClientsPutIt() {
        String uri = "http://127.0.0.1:" + cairn.httpPort() + "/nacos/v1/cs/configs?dataId=none&group=g";
        assertThat(server.send(HttpRequest.newBuilder(URI.create(uri + "&accessToken=" + admin)))
                        .statusCode())
                .isEqualTo(404);
        assertThat(server.send(HttpRequest.newBuilder(URI.create(uri)).header("accessToken", admin))
                        .statusCode())
                .isEqualTo(404);
        assertThat(server.send(HttpRequest.newBuilder(URI.create(uri)).header("Authorization", "Bearer " + admin))
                        .statusCode())
                .isEqualTo(404);
        assertThat(server.send(HttpRequest.newBuilder(
                                URI.create(uri + "&username=nacos&password=" + server.adminPassword())))
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void explainsTheRightsOfAUser() {
        String admin = server.token("nacos", server.adminPassword());
        String fay = server.userWith(admin, "fay", "dev:*:config/order-*", "r");
        String[] order = {"username", "fay", "namespaceId", "dev", "groupName", "G", "type", "config", "name", "order-1"
        };
        JsonNode told = AuthenticatedServer.tree(server.call(admin, "GET", "/v3/auth/access/check", order))
                .path("data");
        assertThat(told.path("read").asBoolean()).isTrue();
        assertThat(told.path("write").asBoolean()).isFalse();
        assertThat(told.path("because").toString())
                .isEqualTo("[{\"role\":\"Rfay\",\"resource\":\"dev:*:config/order-*\",\"action\":\"r\"}]");
        order[9] = "other";
        assertThat(AuthenticatedServer.tree(server.call(fay, "GET", "/v3/auth/access/check", order))
                        .path("data")
                        .path("read")
                        .asBoolean(true))
                .isFalse();
        order[1] = "nacos";
        assertThat(server.call(fay, "GET", "/v3/auth/access/check", order).statusCode())
                .isEqualTo(403);
        assertThat(server.call(null, "GET", "/v3/console/server/state").body()).contains("\"auth_enabled\":\"true\"");
    }

    @Test
    void aUserMayDoOnlyWhatItsPermissionsAllow() {
        String anna = server.userWith(admin, "anna", "dev:*:config/order-*", "rw");

        assertThat(publish(anna, "dev", "order-a").statusCode()).isEqualTo(200);
        assertThat(publish(anna, "dev", "other").statusCode()).isEqualTo(403);
        assertThat(message(publish(anna, "test", "order-a"))).isEqualTo("authorization failed!");
        assertThat(server.call(anna, "GET", "/v1/auth/users", "pageNo", "1", "pageSize", "9")
                        .statusCode())
                .isEqualTo(403);
        assertThat(server.call(anna, "PUT", "/v1/auth/users", "username", "nacos", "newPassword", "x")
                        .statusCode())
                .isEqualTo(403);
        assertThat(server.call(
                                admin,
                                "DELETE",
                                "/v1/auth/permissions",
                                "role",
                                "Ranna",
                                "resource",
                                "dev:*:config/order-*",
                                "action",
                                "rw")
                        .statusCode())
                .isEqualTo(200);
        assertThat(publish(anna, "dev", "order-a").statusCode()).as("at once").isEqualTo(403);
    }

    @Test
    void aNewPasswordEndsTheTokensOfTheOldOne() {
        String ben = server.userWith(admin, "ben", "*:*:*", "rw");

        assertThat(ownPassword(ben, "/v3/auth/user", "ben", "pw-of-ben").body())
                .isEqualTo("{\"code\":0,\"message\":\"success\",\"data\":\"update user ok!\"}");

        assertThat(publish(ben, "dev", "x").statusCode()).isEqualTo(403);
        assertThat(server.login("ben", "pw-of-ben").statusCode()).isEqualTo(403);
        assertThat(publish(server.token("ben", "another"), "dev", "x").statusCode())
                .isEqualTo(200);
    }

    /** A session that was left open, or a copied token, is not enough to take over the account. */
    @ParameterizedTest
    @ValueSource(strings = {"/v1/auth/users", "/v3/auth/user"})
    void aUserNeedsItsPresentPasswordToSetAnother(String path) {
        String name = "fay" + path.charAt(2);
        String fay = server.userWith(admin, name, "*:*:*", "rw");

        HttpResponse<String> absent = ownPassword(fay, path, name, "");
        assertThat(absent.statusCode()).isEqualTo(400);
        assertThat(absent.body()).contains("oldPassword: absent (expected: the present password of '" + name + "'");
        HttpResponse<String> wrong = ownPassword(fay, path, name, "pw-of-ben");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("oldPassword: not the present password of '" + name + "'");
        assertThat(server.login(name, "pw-of-" + name).statusCode())
                .as("unchanged")
                .isEqualTo(200);
        await().untilAsserted(() -> assertThat(
                        records("action", "login.failed", "target", name).size())
                .isEqualTo(1));

        assertThat(ownPassword(fay, path, name, "pw-of-" + name).statusCode()).isEqualTo(200);
        assertThat(server.login(name, "another").statusCode()).isEqualTo(200);
    }

    @Test
    void anAdministratorNeedsItsPresentPasswordForItsOwnAlone() {
        server.userWith(admin, "gil", "*:*:*", "rw");

        assertThat(server.call(admin, "PUT", "/v3/auth/user", "username", "gil", "newPassword", "given")
                        .statusCode())
                .isEqualTo(200);
        assertThat(server.login("gil", "given").statusCode()).isEqualTo(200);
        assertThat(ownPassword(admin, "/v3/auth/user", "nacos", "").statusCode())
                .isEqualTo(400);
    }

    @Test
    void guessesOfThePresentPasswordAreSlowedDown() {
        String hal = server.userWith(admin, "hal", "*:*:*", "rw");
        for (int i = 0; i < 5; i++) {
            assertThat(ownPassword(hal, "/v3/auth/user", "hal", "guess" + i).statusCode())
                    .isEqualTo(400);
        }
        assertThat(ownPassword(hal, "/v3/auth/user", "hal", "pw-of-hal").body())
                .contains("too many failed logins; try again in");
    }

    private static HttpResponse<String> ownPassword(String token, String path, String name, String present) {
        return server.call(token, "PUT", path, "username", name, "newPassword", "another", "oldPassword", present);
    }

    @Test
    void guessingIsSlowedDown() {
        for (int i = 0; i < 5; i++) {
            assertThat(server.login("carl", "guess" + i).statusCode()).isEqualTo(403);
        }

        HttpResponse<String> refused = server.login("carl", "guess");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
        assertThat(server.login("carl", "guess").statusCode()).isEqualTo(429);
        await().untilAsserted(() -> {
            assertThat(records("action", "login.failed", "target", "carl").size())
                    .isEqualTo(5);
            assertThat(records("action", "login.locked", "target", "carl").size())
                    .isEqualTo(1);
        });
        assertThat(server.login("nacos", server.adminPassword()).statusCode()).isEqualTo(200);
    }

    /** A password is tried by any request that it comes along with, not by logins alone. */
    @Test
    void recordsAndSlowsDownPasswordGuessing() {
        for (int i = 0; i < 7; i++) {
            assertThat(server.call(null, "GET", "/v1/cs/configs", "username", "dora", "password", "guess" + i)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(asBasic("dirk", "guess" + i)).isEqualTo(403);
        }
        server.call(admin, "POST", "/v1/auth/users", "username", "doris", "password", "pw-of-doris");
        assertThat(asBasic("doris", "pw-of-doris")).isEqualTo(403);

        await().untilAsserted(() -> {
            for (String name : new String[] {"dora", "dirk"}) {
                JsonNode failed = records("action", "login.failed", "target", name);
                assertThat(failed.size()).isEqualTo(5);
                assertThat(failed.get(0).path("address").asString()).isEqualTo("127.0.0.1");
                assertThat(failed.get(0).path("detail").asString()).isEqualTo("with a request");
                assertThat(records("action", "login.locked", "target", name).size())
                        .isEqualTo(1);
            }
            assertThat(records("action", "login", "target", "doris").size()).isEqualTo(1);
        });
    }

    @Test
    void aLoginIsRecordedAsOfItsUserHoweverHeSignsIn() {
        server.call(admin, "POST", "/v1/auth/users", "username", "gina", "password", "pw-of-gina");
        for (String path : new String[] {"/v1/auth/login", "/v1/auth/users/login", "/v3/auth/user/login"}) {
            assertThat(server.call(null, "POST", path, "username", "gina", "password", "pw-of-gina")
                            .statusCode())
                    .isEqualTo(200);
        }
        server.call(admin, "POST", "/v1/auth/users", "username", "gerd", "password", "pw-of-gerd");
        assertThat(asBasic("gerd", "pw-of-gerd")).isEqualTo(403);
        server.call(admin, "POST", "/v1/auth/users", "username", "gabi", "password", "pw-of-gabi");
        server.call(null, "GET", "/v1/cs/configs", "username", "gabi", "password", "pw-of-gabi");

        await().untilAsserted(() -> {
            assertThat(records("action", "login", "who", "gina").size()).isEqualTo(3);
            for (String name : new String[] {"gina", "gerd", "gabi"}) {
                JsonNode login = records("action", "login", "who", name);
                assertThat(login.findValuesAsString("kind")).isNotEmpty().containsOnly("USER");
                assertThat(login.findValuesAsString("target")).containsOnly(name);
                assertThat(login.toString()).doesNotContain("pw-of");
            }
        });
    }

    @Test
    void recordsAFailedLoginOfAnUnknownUserWithTheTriedName() {
        server.call(admin, "POST", "/v1/auth/users", "username", "hans", "password", "pw-of-hans");
        for (String path : new String[] {"/v1/auth/login", "/v3/auth/user/login"}) {
            for (String name : new String[] {"hans", "nobody-of-this-name"}) {
                assertThat(server.call(null, "POST", path, "username", name, "password", "tried at " + path)
                                .statusCode())
                        .isEqualTo(403);
            }
        }

        await().untilAsserted(() -> {
            for (String name : new String[] {"hans", "nobody-of-this-name"}) {
                JsonNode failed = records("action", "login.failed", "who", name);
                assertThat(failed.size()).isEqualTo(2);
                assertThat(failed.findValuesAsString("kind")).containsOnly("ANONYMOUS");
                assertThat(failed.findValuesAsString("target")).containsOnly(name);
                assertThat(failed.toString()).doesNotContain("tried at");
            }
        });
    }

    @Test
    void aTargetIsFoundByAnyPartOfIt() {
        for (String dataId : new String[] {"first_Part.yaml", "second_part.yaml", "secondXpart.yaml"}) {
            assertThat(publish(admin, "searched", dataId).statusCode()).isEqualTo(200);
        }

        assertThat(records("target", "_PART.y").size()).isEqualTo(2);
        assertThat(records("target", "searched:*_part.yaml").size()).isEqualTo(2);
        assertThat(records("target", "DEFAULT_GROUP:config/second").size()).isEqualTo(2);
        assertThat(records("target", "*second").size()).isZero();
        assertThat(records("target", "part%yaml").size()).isZero();
        assertThat(server.call(admin, "GET", "/v3/admin/auth/audit/export", "target", "secondxpart")
                        .body()
                        .lines())
                .hasSize(1);
    }

    /** One application that was left with an old password shall not keep out those beside it. */
    @Test
    void aPasswordThatWasWrongIsNotCountedAgain() {
        server.call(admin, "POST", "/v1/auth/users", "username", "emil", "password", "new-pw-of-emil");
        for (int i = 0; i < 10; i++) {
            assertThat(server.login("emil", "old-pw-of-emil").statusCode()).isEqualTo(403);
            assertThat(asBasic("emil", "old-pw-of-emil")).isEqualTo(403);
        }

        assertThat(server.login("emil", "new-pw-of-emil").statusCode()).isEqualTo(200);
        await().untilAsserted(() ->
                assertThat(records("action", "login", "target", "emil").size()).isEqualTo(1));
        assertThat(records("action", "login.failed", "target", "emil").size()).isEqualTo(1);

        server.call(admin, "PUT", "/v3/auth/user", "username", "emil", "newPassword", "old-pw-of-emil");

        assertThat(server.login("emil", "old-pw-of-emil").statusCode()).isEqualTo(200);
        assertThat(server.login("emil", "new-pw-of-emil").statusCode()).isEqualTo(403);
    }

    @Test
    void acceptsAPasswordOnceItsUserIsCreated() {
        assertThat(server.login("emma", "pw-of-emma").statusCode()).isEqualTo(403);

        server.call(admin, "POST", "/v1/auth/users", "username", "emma", "password", "pw-of-emma");

        assertThat(server.login("emma", "pw-of-emma").statusCode()).isEqualTo(200);
    }

    /** Else it could be found out by trying on and on, though each wrong try is told to wait. */
    @Test
    void alsoTheRightPasswordMustWaitWhereOthersWereGuessed() {
        server.call(admin, "POST", "/v1/auth/users", "username", "fred", "password", "pw-of-fred");
        String granted = server.call(null, "GET", "/v1/auth/users", "username", "fred", "password", "pw-of-fred")
                .body();
        assertThat(asBasic("fred", "pw-of-fred")).isEqualTo(403);
        await().untilAsserted(() ->
                assertThat(records("action", "login", "target", "fred").size()).isEqualTo(1));
        for (int i = 0; i < 5; i++) {
            assertThat(asBasic("fred", "guess" + i)).isEqualTo(403);
        }

        assertThat(server.call(null, "GET", "/v1/auth/users", "username", "fred", "password", "pw-of-fred")
                        .body())
                .isNotEqualTo(granted)
                .contains("user not found");
    }

    private static int asBasic(String username, String password) {
        String pair = Base64.getEncoder().encodeToString((username + ':' + password).getBytes(StandardCharsets.UTF_8));
        return server.send(HttpRequest.newBuilder(URI.create(
                                "http://127.0.0.1:" + cairn.httpPort() + "/nacos/v1/cs/configs?dataId=absent&group=g"))
                        .header("Authorization", "Basic " + pair))
                .statusCode();
    }

    @Test
    void invalidUserNamesAreNeitherCheckedNorRemembered() {
        String longName = "l".repeat(65);
        for (int i = 0; i < 6; i++) {
            assertThat(server.login(longName, "guess").statusCode()).isEqualTo(403);
            assertThat(server.login("eve", "p".repeat(1025)).statusCode()).isEqualTo(403);
        }

        assertThat(records("target", longName).size()).isZero();
        assertThat(records("target", "eve").size()).isZero();
    }

    @Test
    void tokensOfMachinesAreScopedAndCanBeRevoked() {
        JsonNode created = AuthenticatedServer.tree(server.call(
                        admin,
                        "POST",
                        "/v3/admin/auth/token",
                        "name",
                        "deploy",
                        "ttlSeconds",
                        "3600",
                        "scopes",
                        "rw dev:*:config/*, r test:*:config/*"))
                .path("data");
        String token = created.path("token").asString();

        assertThat(token).startsWith("cairn_");
        assertThat(publish(token, "dev", "m").statusCode()).isEqualTo(200);
        assertThat(publish(token, "test", "m").statusCode()).isEqualTo(403);
        assertThat(server.call(token, "GET", "/v3/auth/user/list").statusCode()).isEqualTo(403);
        assertThat(server.call(admin, "GET", "/v3/admin/auth/token/list").body())
                .contains(created.path("id").asString())
                .doesNotContain(token.substring(token.lastIndexOf('_')));
        assertThat(server.call(
                                admin,
                                "DELETE",
                                "/v3/admin/auth/token",
                                "id",
                                created.path("id").asString())
                        .statusCode())
                .isEqualTo(200);
        assertThat(message(publish(token, "dev", "m"))).isEqualTo("token invalid!");
        assertThat(server.call(
                                admin,
                                "POST",
                                "/v3/admin/auth/token",
                                "name",
                                "for ever",
                                "ttlSeconds",
                                "999999999",
                                "scopes",
                                "r *:*:*")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void aNewSecretKeepsSessions() {
        String before = server.token("nacos", server.adminPassword());

        assertThat(server.call(admin, "POST", "/v3/admin/auth/secret").statusCode())
                .isEqualTo(200);

        assertThat(server.call(before, "GET", "/v3/auth/access").statusCode()).isEqualTo(200);
        String after = server.token("nacos", server.adminPassword());
        assertThat(server.call(after, "GET", "/v3/auth/access").statusCode()).isEqualTo(200);
    }

    @Test
    void recordsChanges() {
        server.userWith(admin, "dora", "audit:*:*", "rw");
        String dora = server.token("dora", "pw-of-dora");
        publish(dora, "audit", "seen.yaml");

        JsonNode users = records("action", "user.create", "target", "dora");
        assertThat(users.size()).isEqualTo(1);
        assertThat(users.get(0).path("who").asString()).isEqualTo("nacos");
        assertThat(users.get(0).path("address").asString()).isEqualTo("127.0.0.1");
        JsonNode published = records("target", "audit:DEFAULT_GROUP:config/seen.yaml");
        assertThat(published.size()).isEqualTo(1);
        assertThat(published.get(0).path("who").asString()).isEqualTo("dora");
        assertThat(published.get(0).path("action").asString()).isEqualTo("config.insert");
        assertThat(published.get(0).path("after").asString()).hasSize(32);
        assertThat(server.call(admin, "GET", "/v3/admin/auth/audit/export", "who", "dora")
                        .body()
                        .lines())
                .allMatch(line -> line.contains("\"who\":\"dora\""))
                .isNotEmpty();
        assertThat(server.call(dora, "GET", "/v3/admin/auth/audit/list").statusCode())
                .isEqualTo(403);
    }

    private static JsonNode records(String... query) {
        return AuthenticatedServer.tree(server.call(admin, "GET", "/v3/admin/auth/audit/list", query))
                .path("data")
                .path("pageItems");
    }

    @Test
    void messagesCarryTheirToken() {
        String eva = server.userWith(admin, "eva", "grpc:*:*", "r");
        try (WireClient client = cairn.newClient()) {
            String body = "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"grpc\",\"content\":\"x\"}";
            assertThat(call(client, "ConfigQueryRequest", null, body))
                    .isEqualTo("{\"resultCode\":500,\"errorCode\":403,\"message\":\"user not found!\","
                            + "\"lastModified\":0,\"beta\":false,\"success\":false}");
            assertThat(call(client, "ConfigPublishRequest", null, body))
                    .isEqualTo(
                            "{\"resultCode\":500,\"errorCode\":403,\"message\":\"user not found!\",\"success\":false}");
            assertThat(call(client, "ConfigQueryRequest", eva, body)).contains("config data not exist");
            assertThat(call(client, "ConfigPublishRequest", eva, body)).contains("authorization failed!");
            assertThat(call(client, "ConfigPublishRequest", admin, body)).contains("\"success\":true");
            assertThat(call(
                            client,
                            "InstanceRequest",
                            null,
                            "{\"namespace\":\"grpc\",\"serviceName\":\"s\",\"type\":\"registerInstance\"}"))
                    .contains("\"errorCode\":403");
            String listen =
                    "{\"listen\":true,\"configListenContexts\":[{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"grpc\",\"md5\":\"\"},"
                            + "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"secret\",\"md5\":\"\"}]}";
            assertThat(call(client, "ConfigBatchListenRequest", eva, listen))
                    .contains(
                            "authorization failed! not listened to, for they may not be read: 1, the first is secret:")
                    .contains("\"changedConfigs\":[{\"group\":\"g\",\"dataId\":\"a\",\"tenant\":\"grpc\"}]");
        }
    }

    private static String call(WireClient client, String type, String token, String json) {
        Map<String, String> headers = token == null ? Map.of() : Map.of("accessToken", token);
        return client.call(Payload.of(type, "127.0.0.1", headers, json.getBytes(StandardCharsets.UTF_8)))
                .bodyText();
    }

    private static HttpResponse<String> publish(String token, String tenant, String dataId) {
        return server.call(
                token,
                "POST",
                "/v1/cs/configs",
                "dataId",
                dataId,
                "group",
                "DEFAULT_GROUP",
                "tenant",
                tenant,
                "content",
                "a: 1");
    }

    private static String message(HttpResponse<String> answer) {
        return AuthenticatedServer.tree(answer).path("message").asString();
    }

    @Test
    void usersAreServedBelowBothPathsOfNacos() {
        for (String users : new String[] {"/v1/auth", "/v1/auth/users"}) {
            String name = "twice" + users.length();
            assertThat(server.call(admin, "POST", users, "username", name, "password", "pw-of-twice")
                            .body())
                    .as(users)
                    .isEqualTo("{\"code\":200,\"message\":null,\"data\":\"create user ok!\"}");
            assertThat(server.call(
                                    admin,
                                    "GET",
                                    users,
                                    "search",
                                    "accurate",
                                    "pageNo",
                                    "1",
                                    "pageSize",
                                    "9",
                                    "username",
                                    name)
                            .body())
                    .contains("\"username\":\"" + name + "\"");
            assertThat(server.call(admin, "GET", users + "/search", "username", name)
                            .body())
                    .isEqualTo("[\"" + name + "\"]");
            assertThat(server.call(null, "POST", users + "/admin", "password", "mine")
                            .body())
                    .contains("have admin user cannot use it");
            assertThat(server.call(null, "POST", users + "/login", "username", name, "password", "pw-of-twice")
                            .statusCode())
                    .isEqualTo(200);
            String token = server.token(name, "pw-of-twice");
            String own = users + "/password";
            assertThat(server.call(token, "PUT", own, "oldPassword", "wrong", "newPassword", "pw-of-thrice")
                            .body())
                    .isEqualTo("{\"code\":401,\"message\":null,\"data\":\"Old password is invalid\"}");
            assertThat(server.login(name, "pw-of-thrice").statusCode()).isEqualTo(403);
            assertThat(server.call(token, "PUT", own, "oldPassword", "pw-of-twice", "newPassword", "pw-of-thrice")
                            .body())
                    .isEqualTo("{\"code\":200,\"message\":null,\"data\":\"Update password success\"}");
            assertThat(server.login(name, "pw-of-thrice").statusCode()).isEqualTo(200);
            assertThat(server.call(null, "PUT", own, "oldPassword", "pw-of-thrice", "newPassword", "x")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(server.call(admin, "PUT", users, "username", name, "newPassword", "pw-of-four")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(server.call(admin, "DELETE", users, "username", name).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void listsOfTheAddressServerAreForAdministratorsToFillAndForAllToRead() {
        String user = server.userWith(admin, "lister", "*:*:*", "rw");
        String[] list = {"product", "open", "cluster", "blue", "ips", "10.0.0.1"};
        assertThat(server.call(user, "POST", "/v1/as/nodes", list).statusCode()).isEqualTo(403);
        assertThat(server.call(admin, "POST", "/v1/as/nodes", list).statusCode())
                .isEqualTo(200);
        assertThat(server.call(user, "DELETE", "/v1/as/nodes", list).statusCode())
                .isEqualTo(403);

        HttpResponse<String> read =
                server.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/open/blue")));
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.body()).isEqualTo("10.0.0.1:8848\n");
    }

    @Test
    void pathsThatNacosDoesNotHaveRefuseInTheEnvelope() {
        HttpResponse<String> missing =
                server.call(admin, "GET", "/v3/auth/access/check", "type", "config", "name", "x");
        assertThat(missing.statusCode()).isEqualTo(400);
        assertThat(AuthenticatedServer.tree(missing).path("code").asInt()).isEqualTo(10000);
        assertThat(AuthenticatedServer.tree(missing).path("data").asString()).contains("groupName");
        HttpResponse<String> nobody = server.call(
                admin,
                "GET",
                "/v3/auth/access/check",
                "username",
                "nobody-of-that-name",
                "groupName",
                "g",
                "type",
                "config",
                "name",
                "x");
        assertThat(nobody.statusCode()).isEqualTo(404);
        assertThat(AuthenticatedServer.tree(nobody).path("code").asInt()).isEqualTo(20004);
        HttpResponse<String> token = server.call(admin, "POST", "/v3/admin/auth/token", "name", "none");
        assertThat(token.statusCode()).isEqualTo(400);
        assertThat(AuthenticatedServer.tree(token).path("code").asInt()).isPositive();
        HttpResponse<String> page = server.call(admin, "GET", "/v3/admin/auth/audit/list", "pageNo", "x");
        assertThat(page.statusCode()).isEqualTo(400);
        assertThat(AuthenticatedServer.tree(page).path("code").asInt()).isPositive();
    }

    @Test
    void aSearchForUsersOrRolesWithoutATextFindsAll() {
        for (String path : new String[] {"/v3/auth/role/search", "/v1/auth/roles/search"}) {
            HttpResponse<String> roles = server.call(admin, "GET", path);
            assertThat(roles.statusCode()).as(path).isEqualTo(200);
            assertThat(roles.body()).as(path).contains("\"ROLE_ADMIN\"");
        }
        for (String path : new String[] {"/v3/auth/user/search", "/v1/auth/users/search"}) {
            HttpResponse<String> users = server.call(admin, "GET", path);
            assertThat(users.statusCode()).as(path).isEqualTo(200);
            assertThat(users.body()).as(path).contains("\"nacos\"");
        }
    }

    @Test
    void aPermissionThatNothingMatchesIsRefusedWithTheExpectedForm() {
        for (String resource : new String[] {"(a|b):*:*", "dev-[ab]:*:*", " dev:*:*"}) {
            HttpResponse<String> refused = server.call(
                    admin, "POST", "/v1/auth/permissions", "role", "Rnone", "resource", resource, "action", "rw");
            assertThat(refused.statusCode()).as(resource).isEqualTo(400);
            assertThat(refused.body())
                    .contains("resource: '" + resource + "' matches nothing")
                    .contains("expected: <namespace>:<group>:<config|naming|*>/<name>");
            assertThat(server.call(
                                    admin,
                                    "POST",
                                    "/v3/admin/auth/token",
                                    "name",
                                    "none",
                                    "ttlSeconds",
                                    "60",
                                    "scopes",
                                    "rw x" + resource)
                            .statusCode())
                    .as("a token for x" + resource)
                    .isEqualTo(400);
        }
        String longName = "dev:*:config/" + "d".repeat(116);
        assertThat(server.call(
                                admin,
                                "POST",
                                "/v1/auth/permissions",
                                "role",
                                "Rnone",
                                "resource",
                                longName,
                                "action",
                                "r")
                        .body())
                .contains("resource: 129 characters (expected: at most 128)");
    }

    @Test
    void aPermissionOfNacosThatNothingMatchesStaysWithoutEffectAndIsAFinding() {
        assertThat(server.call(admin, "POST", "/v1/auth/users", "username", "taken", "password", "pw-of-taken")
                        .statusCode())
                .isEqualTo(200);
        store(
                new AccountChange.GrantRole("Rtaken", "taken"),
                new AccountChange.AddPermission("Rtaken", "(taken-a|taken-b):*:*", "rw"));
        String taken = server.token("taken", "pw-of-taken");

        HttpResponse<String> publish = server.call(
                taken, "POST", "/v1/cs/configs", "tenant", "taken-a", "dataId", "x", "group", "g", "content", "x");
        assertThat(publish.statusCode()).isEqualTo(403);
        assertThat(AuthenticatedServer.tree(server.call(taken, "GET", "/v3/auth/access"))
                        .path("data")
                        .path("somewhere")
                        .asString())
                .isEmpty();
        assertThat(finding("PERMISSIONS_WITHOUT_EFFECT").path("detail").asString())
                .contains("role Rtaken: '(taken-a|taken-b):*:*' rw: no namespace can match '(taken-a|taken-b)'");
    }

    @Test
    void aUserOfAnLdapDirectoryHasNoPasswordAndIsAFinding() {
        String hash = Passwords.hash("nacos");
        store(
                new AccountChange.CreateUser("LDAP_alice", hash, false),
                new AccountChange.GrantRole("ROLE_ADMIN", "LDAP_alice"));

        assertThat(server.login("LDAP_alice", "nacos").statusCode()).isEqualTo(403);
        HttpResponse<String> password = server.call(
                admin, "PUT", "/v1/auth/users", "username", "LDAP_alice", "newPassword", "a-password-of-alice");
        assertThat(password.statusCode()).isEqualTo(400);
        assertThat(password.body()).contains("user of an LDAP directory, which has no password here");
        assertThat(server.call(admin, "POST", "/v1/auth/users", "username", "LDAP_bob", "password", "pw-of-bob")
                        .statusCode())
                .isEqualTo(400);
        JsonNode finding = finding("LDAP_USERS");
        assertThat(finding.path("detail").asString()).isEqualTo("LDAP_alice");
        assertThat(finding.path("used").asInt()).isEqualTo(1);
    }

    private static void store(AccountChange... changes) {
        AccountStore store = new JdbcAccountStore(cairn.part(StoreWriter.class), cairn.part(ReadConnections.class));
        for (AccountChange change : changes) {
            store.apply(List.of(change), AuditRecord.of(Caller.SERVER, "test", "x"))
                    .toCompletableFuture()
                    .join();
        }
        cairn.part(Accounts.class).reload();
    }

    private static JsonNode finding(String kind) {
        for (JsonNode finding : AuthenticatedServer.tree(server.call(admin, "GET", "/v3/admin/core/attention"))
                .path("data")) {
            if (finding.path("kind").asString().equals(kind)) {
                return finding;
            }
        }
        throw new AssertionError("no finding " + kind);
    }
}
