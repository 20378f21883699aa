package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.process.CairnProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A server in the steps of the guide's page about logins in stages. */
final class StagedServer implements AutoCloseable {
    private static final Pattern ROW = Pattern.compile("\\{\"address\":[^}]*}");
    private static final Pattern TOKEN = Pattern.compile("\"accessToken\":\"([^\"]+)\"");
    private static final Map<String, Object> ADMINISTRATION = Map.of("nacos.core.auth.admin.enabled", true);

    private final Path home;
    private final HttpClient http = HttpClient.newHttpClient();
    private CairnProcess process;
    private String admin = "";

    StagedServer(Path home) throws Exception {
        this.home = home;
        this.process = start(0, Map.of());
    }

    String address() {
        return process.serverAddress();
    }

    void closeAdministration() throws Exception {
        restart(ADMINISTRATION);
    }

    void rehearse() throws Exception {
        Map<String, Object> settings = new HashMap<>(ADMINISTRATION);
        settings.put("cairn.auth.rehearsal", true);
        restart(settings);
    }

    void closeAll() throws Exception {
        restart(Map.of("nacos.core.auth.enabled", true));
    }

    private void restart(Map<String, Object> settings) throws Exception {
        int port = process.httpPort();
        process.close();
        process = start(port, settings);
        String password = Files.readString(home.resolve("data/auth/initial-admin-password"))
                .trim();
        String answer = send("POST", "/v3/auth/user/login?username=nacos&password=" + password);
        admin = TOKEN.matcher(answer).results().findFirst().orElseThrow().group(1);
    }

    private CairnProcess start(int port, Map<String, Object> settings) throws Exception {
        CairnProcess.Builder builder = CairnProcess.builder().home(home).setting("server.address", "127.0.0.1");
        settings.forEach(builder::setting);
        return (port == 0 ? builder : builder.httpPort(port)).start();
    }

    /** A user whose password is {@code of-} and its name, with a role of its name. */
    void createUser(String name) throws IOException, InterruptedException {
        send("POST", "/v3/auth/user?username=" + name + "&password=of-" + name);
        send("POST", "/v3/auth/role?role=R" + name + "&username=" + name);
    }

    void grant(String user, String action) throws IOException, InterruptedException {
        send("POST", "/v3/auth/permission?role=R" + user + "&resource=public:*:*&action=" + action);
    }

    /** Waits until clients are listed, and all lack this. */
    void awaitMissing(String reason) {
        await().untilAsserted(() -> assertThat(listed()).isNotEmpty().allSatisfy(row -> assertThat(row)
                .contains("\"reason\":\"" + reason + '"')));
    }

    List<String> listed() throws IOException, InterruptedException {
        return ROW.matcher(send("GET", "/v3/admin/auth/without-login"))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toList());
    }

    private String send(String method, String path) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + address() + "/nacos" + path))
                .method(method, BodyPublishers.noBody())
                .timeout(PATIENCE);
        if (!admin.isEmpty()) {
            request.header("accessToken", admin);
        }
        HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString(UTF_8));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Override
    public void close() {
        process.close();
    }
}
