package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import io.cairn.testing.Patience;
import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** A real Keycloak, set up by the commands of the guide: people and applications log in with the settings of the guide. */
@Tag("endurance")
class KeycloakIT {

    private static final Path GUIDE = Path.of("../docs/guide/sign-in.md");
    private static final String KEYCLOAK = "http://127.0.0.1:" + ReservedPorts.one();
    private static final String REALM = KEYCLOAK + "/realms/firm";
    /** Nothing listens there: the test sends the requests of a browser to the server itself. */
    private static final String PUBLIC = "http://127.0.0.1:" + ReservedPorts.one() + "/nacos";

    private static final Map<String, String> PLACES = Map.of(
            "https://idp.example.com",
            KEYCLOAK,
            "https://cairn.example.com/nacos",
            PUBLIC,
            "SECRET-OF-CAIRN",
            "s3cret-of-the-console",
            "SECRET-OF-ORDERS",
            "s3cret-of-the-application");
    private static final String ADMIN_PASSWORD = "of-the-administrator";
    private static final Pattern FORM = Pattern.compile("<form[^>]* action=\"([^\"]+)\"");
    private static final Duration COMMANDS = Patience.PATIENCE.multipliedBy(5);

    @RegisterExtension
    static final InspectableServer cairn = withGuide();

    private static AuthenticatedServer server;
    private static Process keycloak;

    private final HttpClient http = HttpClient.newHttpClient();
    /** Of the browser, at Keycloak and at Cairn. */
    private final Map<String, String> cookies = new LinkedHashMap<>();

    private static InspectableServer withGuide() {
        InspectableServer made = InspectableServer.temporary().with("server.address", "127.0.0.1");
        for (String line : block("properties").split("\n")) {
            String[] setting = line.split("=", 2);
            made = made.with(setting[0], setting[1]);
        }
        return made;
    }

    /** The block of the section about Keycloak, with the addresses and secrets of this test. */
    private static String block(String language) {
        try {
            String guide = Files.readString(GUIDE);
            String section = guide.substring(guide.indexOf("\n## Keycloak\n"));
            int start = section.indexOf("```" + language + "\n") + language.length() + 4;
            String block = section.substring(start, section.indexOf("\n```", start));
            for (Map.Entry<String, String> place : PLACES.entrySet()) {
                block = block.replace(place.getKey(), place.getValue());
            }
            return block;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @BeforeAll
    static void setUp() throws Exception {
        server = new AuthenticatedServer(cairn);
        Path home;
        try (Stream<Path> unpacked = Files.list(Path.of("target/keycloak"))) {
            home = unpacked.findFirst().orElseThrow().toAbsolutePath();
        }
        Path realm = Files.createDirectories(home.resolve("data/import")).resolve("firm-realm.json");
        try (var in = KeycloakIT.class.getResourceAsStream("firm-realm.json")) {
            Files.write(realm, in.readAllBytes());
        }
        ProcessBuilder start = new ProcessBuilder(
                        "bash",
                        "bin/kc.sh",
                        "start-dev",
                        "--import-realm",
                        "--http-host=127.0.0.1",
                        "--http-port=" + URI.create(KEYCLOAK).getPort())
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("keycloak.log").toFile());
        start.environment()
                .putAll(Map.of("KC_BOOTSTRAP_ADMIN_USERNAME", "admin", "KC_BOOTSTRAP_ADMIN_PASSWORD", ADMIN_PASSWORD));
        keycloak = start.start();
        await("Keycloak, see " + home.resolve("keycloak.log"))
                .atMost(COMMANDS)
                .ignoreException(java.io.UncheckedIOException.class)
                .until(() ->
                        server.send(HttpRequest.newBuilder(URI.create(REALM + "/.well-known/openid-configuration")))
                                        .statusCode()
                                == 200);

        ProcessBuilder commands = new ProcessBuilder("bash", "-e", "-c", block("sh")).redirectErrorStream(true);
        commands.environment().put("KC_CLI_PASSWORD", ADMIN_PASSWORD);
        commands.environment().merge("PATH", home.resolve("bin").toString(), (path, bin) -> bin + ':' + path);
        Path output = home.resolve("commands.log");
        Process guided = commands.redirectOutput(output.toFile()).start();
        try {
            assertThat(guided.waitFor(COMMANDS.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(guided.exitValue()).as(Files.readString(output)).isZero();
        } finally {
            guided.destroyForcibly();
        }
        // The server has started before the issuer, and asks it again.
        await("the keys of Keycloak").atMost(COMMANDS).until(() -> get(
                        "http://127.0.0.1:" + cairn.httpPort() + "/nacos/v1/auth/oidc/login",
                        HttpClient.newHttpClient(),
                        Map.of())
                .headers()
                .firstValue("Location")
                .orElse("")
                .startsWith(KEYCLOAK));
    }

    @AfterAll
    static void stop() throws Exception {
        if (keycloak != null) {
            List<ProcessHandle> all = Stream.concat(keycloak.descendants(), Stream.of(keycloak.toHandle()))
                    .toList();
            all.forEach(ProcessHandle::destroyForcibly);
            keycloak.waitFor(Patience.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static HttpResponse<String> get(String url, HttpClient http, Map<String, String> cookies) throws Exception {
        return http.send(
                withCookies(HttpRequest.newBuilder(URI.create(url)), cookies).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder withCookies(HttpRequest.Builder request, Map<String, String> cookies) {
        return cookies.isEmpty()
                ? request
                : request.header(
                        "Cookie",
                        cookies.entrySet().stream()
                                .map(each -> each.getKey() + '=' + each.getValue())
                                .collect(Collectors.joining("; ")));
    }

    /** As a browser does, with the cookies of all addresses, whose names differ. */
    private HttpResponse<String> browse(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> answer =
                http.send(withCookies(request, cookies).build(), HttpResponse.BodyHandlers.ofString());
        for (String header : answer.headers().allValues("Set-Cookie")) {
            HttpCookie cookie = HttpCookie.parse(header).get(0);
            if (cookie.getMaxAge() == 0 || cookie.getValue().isEmpty()) {
                cookies.remove(cookie.getName());
            } else {
                cookies.put(cookie.getName(), cookie.getValue());
            }
        }
        return answer;
    }

    private HttpResponse<String> browse(String url) throws Exception {
        // The address in browsers leads to the server.
        return browse(HttpRequest.newBuilder(
                URI.create(url.replace(PUBLIC, "http://127.0.0.1:" + cairn.httpPort() + "/nacos"))));
    }

    private static String location(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(302);
        return answer.headers().firstValue("Location").orElseThrow();
    }

    /** The page of Keycloak that asks for a name and password. */
    private String formOfLogin() throws Exception {
        HttpResponse<String> page = browse(location(browse(PUBLIC + "/v1/auth/oidc/login")));
        assertThat(page.statusCode()).as("no session at Keycloak").isEqualTo(200);
        Matcher form = FORM.matcher(page.body());
        assertThat(form.find()).as(page.body()).isTrue();
        return form.group(1).replace("&amp;", "&");
    }

    private JsonNode login(String username, String password) throws Exception {
        HttpResponse<String> answer = browse(HttpRequest.newBuilder(URI.create(formOfLogin()))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(
                        CairnExtension.encode(Map.of("username", username, "password", password)))));
        String back = location(answer);
        assertThat(back).startsWith(PUBLIC + "/v1/auth/oidc/callback?");
        String end = location(browse(back));
        assertThat(end).startsWith(PUBLIC + "/ui/#login=");
        HttpResponse<String> exchanged =
                browse(PUBLIC + "/v1/auth/oidc/exchange?code=" + end.substring(end.indexOf('=') + 1));
        assertThat(exchanged.statusCode()).as(exchanged.body()).isEqualTo(200);
        return AuthenticatedServer.tree(exchanged);
    }

    @Test
    void aPersonOfTheGroupIsAnAdministratorUntilTheLogout() throws Exception {
        JsonNode alice = login("alice", "wonderland");

        assertThat(alice.path("username").asString()).startsWith("oidc:alice (");
        assertThat(alice.path("globalAdmin").asBoolean()).isTrue();
        assertThat(server.call(alice.path("accessToken").asString(), "GET", "/v3/admin/auth/rule/list")
                        .statusCode())
                .isEqualTo(200);

        String end = location(browse(PUBLIC + "/v1/auth/oidc/logout"));
        assertThat(end).startsWith(REALM + "/protocol/openid-connect/logout?");
        assertThat(location(browse(end))).isEqualTo(PUBLIC + "/ui/");
        assertThat(formOfLogin()).as("Keycloak asks again").startsWith(REALM);
    }

    @Test
    void aPersonOfAnotherGroupHasNoRight() throws Exception {
        JsonNode bob = login("bob", "builder");

        assertThat(bob.path("globalAdmin").asBoolean(true)).isFalse();
        assertThat(server.call(bob.path("accessToken").asString(), "GET", "/v3/admin/auth/rule/list")
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void anApplicationUsesItsTokenByARule() throws Exception {
        String admin = server.token("nacos", server.adminPassword());
        assertThat(server.call(
                                admin,
                                "POST",
                                "/v3/auth/permission",
                                "role",
                                "ORDERS",
                                "resource",
                                "dev:*:config/*",
                                "action",
                                "rw")
                        .statusCode())
                .isEqualTo(200);
        HttpResponse<String> answer =
                browse(HttpRequest.newBuilder(URI.create(REALM + "/protocol/openid-connect/token"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(CairnExtension.encode(Map.of(
                                "grant_type",
                                "client_credentials",
                                "client_id",
                                "orders",
                                "client_secret",
                                PLACES.get("SECRET-OF-ORDERS"))))));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        String token = AuthenticatedServer.tree(answer).path("access_token").asString();

        assertThat(publish(token, "dev")).isEqualTo(200);
        assertThat(publish(token, "prod")).isEqualTo(403);
    }

    private static int publish(String token, String namespace) {
        return server.call(
                        token,
                        "POST",
                        "/v1/cs/configs",
                        "dataId",
                        "a",
                        "group",
                        "g",
                        "tenant",
                        namespace,
                        "content",
                        "x")
                .statusCode();
    }
}
