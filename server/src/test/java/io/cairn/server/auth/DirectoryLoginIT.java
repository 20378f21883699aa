package io.cairn.server.auth;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.storage.access.JdbcAccountStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.support.InspectableServer;
import io.cairn.testing.TestDirectory;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** A server whose users log in with their password in a directory, beside its local users. */
class DirectoryLoginIT {

    private static final TestDirectory directory = TestDirectory.start();

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open()
            .timed(timings -> timings.withAccountRefresh(Duration.ofMillis(300)))
            .with("nacos.core.auth.system.type", "ldap")
            .with("nacos.core.auth.ldap.url", directory.url())
            .with("nacos.core.auth.ldap.basedc", TestDirectory.BASE)
            .with("nacos.core.auth.ldap.userDn", TestDirectory.SEARCH_DN)
            .with("nacos.core.auth.ldap.password", TestDirectory.SEARCH_PASSWORD)
            .with("nacos.core.auth.ldap.userdn", "cn={0},dc=example,dc=org")
            .with("cairn.auth.ldap.max-binds", "1")
            .with("cairn.auth.ldap.read-timeout", "30s")
            .with("cairn.auth.ldap.rules[0]", "groups=platform -> ROLE_ADMIN")
            .with("cairn.auth.ldap.rules[1]", "groups=dev-* -> DEV");

    private static final String[] CONFIG = {"dataId", "a", "group", "g", "tenant", "dev", "content", "x"};

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void prepare() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
        store(new AccountChange.AddPermission("DEV", "dev:g:*/*", "rw"));
        directory.group("dev-orders", user("ann"), user("watcher"));
        directory.group("platform", user("carol"));
    }

    @AfterAll
    static void stop() {
        directory.close();
    }

    private static String user(String name) {
        return directory.user(name, password(name));
    }

    private static String password(String name) {
        return "directory-password-of-" + name;
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

    private static HttpResponse<String> publish(String token) {
        return server.call(token, "POST", "/v1/cs/configs", CONFIG);
    }

    private static JsonNode rights(String token) {
        return AuthenticatedServer.tree(server.call(token, "GET", "/v3/auth/access"))
                .path("data");
    }

    private static Set<String> findings() {
        JsonNode all = AuthenticatedServer.tree(server.call(admin, "GET", "/v3/admin/core/attention"))
                .path("data");
        return StreamSupport.stream(all.spliterator(), false)
                .map(finding -> finding.path("kind").asString())
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @CsvSource({"/v1/auth/login", "/v1/auth/users/login", "/v3/auth/user/login"})
    void aUserOfTheDirectoryLogsInWhereLocalUsersDo(String path) {
        HttpResponse<String> answer = server.call(null, "POST", path, "username", "ann", "password", password("ann"));

        assertThat(answer.statusCode()).isEqualTo(200);
        String token = AuthenticatedServer.tree(answer).path("accessToken").asString();
        assertThat(publish(token).statusCode()).isEqualTo(200);
        String[] elsewhere = CONFIG.clone();
        elsewhere[5] = "prod";
        assertThat(server.call(token, "POST", "/v1/cs/configs", elsewhere).statusCode())
                .isEqualTo(403);
        assertThat(rights(token).path("username").asString()).isEqualTo("ldap:ann");
        assertThat(rights(token).path("kind").asString()).isEqualTo("ldap");
        assertThat(rights(token).path("globalAdmin").asBoolean(true)).isFalse();
        assertThat(rights(token).path("mustChangePassword").asBoolean(true)).isFalse();
    }

    @Test
    void aUserWithoutARuleHasNoRight() {
        user("eve");

        String token = server.token("eve", password("eve"));

        assertThat(publish(token).statusCode()).isEqualTo(403);
        assertThat(rights(token).path("permissions").size()).isZero();
    }

    @Test
    void theStateNamesTheDirectory() {
        assertThat(server.call(null, "GET", "/v1/console/server/state").body())
                .contains("\"auth_system_type\":\"ldap\"");
    }

    @Test
    void anAdministratorByARuleIsRecordedWithItsSource() {
        String carol = server.token("carol", password("carol"));

        assertThat(server.call(carol, "POST", "/v1/auth/users", "username", "made-by-carol", "password", "a-password")
                        .statusCode())
                .isEqualTo(200);
        JsonNode record = AuthenticatedServer.tree(server.call(
                        admin,
                        "GET",
                        "/v3/admin/auth/audit/list",
                        "action",
                        "user.create",
                        "target",
                        "made-by-carol",
                        "pageNo",
                        "1",
                        "pageSize",
                        "10"))
                .path("data")
                .path("pageItems")
                .path(0);
        assertThat(record.path("who").asString()).isEqualTo("ldap:carol");
        assertThat(record.path("kind").asString()).isEqualTo("LDAP");
        assertThat(server.call(
                                carol,
                                "PUT",
                                "/v1/auth/users/password",
                                "oldPassword",
                                password("carol"),
                                "newPassword",
                                "another-password")
                        .body())
                .contains("has no password");
    }

    @Test
    void aLocalUserIsTriedAloneAndNeverGetsTheRightsOfItsNamesake() {
        String dn = user("frank");
        directory.group("dev-frank", dn);
        assertThat(server.call(admin, "POST", "/v1/auth/users", "username", "frank", "password", "local-password")
                        .statusCode())
                .isEqualTo(200);

        assertThat(server.login("frank", password("frank")).statusCode()).isEqualTo(403);
        assertThat(directory.bindsOf(dn)).isZero();
        String local = server.token("frank", "local-password");
        assertThat(rights(local).path("kind").asString()).isEqualTo("user");
        assertThat(publish(local).statusCode()).isEqualTo(403);
    }

    @Test
    void aStoredUserOfNacosIsTheOneOfTheDirectoryAndNeverTheLocalOne() {
        user("dora");
        store(
                new AccountChange.CreateUser("LDAP_dora", Passwords.hash("nacos"), false),
                new AccountChange.GrantRole("DEV", "LDAP_dora"),
                new AccountChange.CreateUser("LDAP_greta", Passwords.hash("nacos"), false),
                new AccountChange.GrantRole("ROLE_ADMIN", "LDAP_greta"),
                new AccountChange.CreateUser("greta", Passwords.hash("local-password"), false));

        String dora = server.token("dora", password("dora"));
        assertThat(publish(dora).statusCode()).isEqualTo(200);
        assertThat(server.login("LDAP_dora", "nacos").statusCode()).isEqualTo(403);
        assertThat(server.login("LDAP_dora", password("dora")).statusCode()).isEqualTo(403);
        assertThat(rights(server.token("greta", "local-password"))
                        .path("globalAdmin")
                        .asBoolean(true))
                .isFalse();
        assertThat(findings()).doesNotContain("LDAP_USERS");

        store(new AccountChange.RevokeRole("DEV", "LDAP_dora"));
        assertThat(publish(dora).statusCode()).isEqualTo(403);
    }

    @Test
    void aRequestMayHaveThePassword() {
        String dn = directory.user("henry", password("henry"));
        directory.group("dev-henry", dn);
        String[] withPassword = List.of(
                        "dataId",
                        "a",
                        "group",
                        "g",
                        "tenant",
                        "dev",
                        "content",
                        "x",
                        "username",
                        "henry",
                        "password",
                        password("henry"))
                .toArray(String[]::new);

        assertThat(server.call(null, "POST", "/v1/cs/configs", withPassword).statusCode())
                .isEqualTo(200);
        assertThat(server.call(null, "POST", "/v1/cs/configs", withPassword).statusCode())
                .isEqualTo(200);
        assertThat(directory.bindsOf(dn)).as("the second was known").isEqualTo(1);
    }

    @Test
    void aRepeatedWrongPasswordDoesNotLockTheAccountInTheDirectory() {
        String dn = user("ines");

        for (int i = 0; i < 3; i++) {
            assertThat(server.login("ines", "an-old-password").statusCode()).isEqualTo(403);
        }
        assertThat(server.login("ines", "").statusCode()).isNotEqualTo(200);
        assertThat(directory.bindsOf(dn)).isEqualTo(1);
    }

    @Test
    void aDirectoryThatHangsDelaysNobodyElseAndOneThatIsAwayEndsNoSession() throws Exception {
        String watcher = server.token("watcher", password("watcher"));
        user("late");
        directory.hang();
        List<CompletableFuture<HttpResponse<String>>> hanging = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            hanging.add(CompletableFuture.supplyAsync(() -> server.login("late", password("late"))));
        }
        await().untilAsserted(() -> assertThat(directory.hanging()).isEqualTo(1));
        // One is under way and four wait, in whatever order they arrive.
        await().untilAsserted(() -> {
            HttpResponse<String> excess = server.login("late-too", "a-password");
            assertThat(excess.statusCode()).isEqualTo(503);
            assertThat(excess.body()).contains("Too many logins wait for the directory");
        });

        assertThat(server.login("nacos", server.adminPassword()).statusCode()).isEqualTo(200);
        assertThat(publish(watcher).statusCode()).isEqualTo(200);
        assertThat(hanging).noneMatch(CompletableFuture::isDone);
        directory.answer();
        for (CompletableFuture<HttpResponse<String>> each : hanging) {
            assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                    .isIn(200, 503);
        }

        directory.away();
        HttpResponse<String> refused = server.login("ann", "another-password-1");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("The directory does not answer");
        assertThat(findings()).contains("DIRECTORY_AWAY");
        assertThat(server.login("nacos", server.adminPassword()).statusCode()).isEqualTo(200);
        assertThat(publish(watcher).statusCode()).isEqualTo(200);

        directory.open();
        assertThat(server.login("ann", password("ann")).statusCode()).isEqualTo(200);
        assertThat(findings()).doesNotContain("DIRECTORY_AWAY");
    }

    @Test
    void refusalsAndLoginsAreCounted() {
        server.login("nobody", "a-password");
        server.token("watcher", password("watcher"));
        HttpResponse<String> meters = server.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/actuator/prometheus"))
                        .header("Authorization", "Bearer " + admin));

        assertThat(meters.body())
                .containsPattern("cairn_directory_logins_refused_total\\{.*reason=\"unknown\".*} [1-9]")
                .containsPattern("cairn_logins_total\\{.*source=\"ldap\".*} [1-9]")
                .containsPattern("cairn_logins_total\\{.*source=\"local\".*} [1-9]");
    }
}
