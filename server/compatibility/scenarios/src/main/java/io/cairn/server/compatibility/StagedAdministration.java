package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The administrator of a server whose login is switched on in stages. For one thread. */
final class StagedAdministration {
    private static final Pattern ROW = Pattern.compile("\\{\"address\":[^}]*}");
    private static final Pattern TOKEN = Pattern.compile("\"accessToken\":\"([^\"]+)\"");

    private final Supplier<String> address;
    private final HttpClient http = HttpClient.newHttpClient();
    private String token = "";

    /** @param address of the server to ask */
    StagedAdministration(Supplier<String> address) {
        this.address = address;
    }

    /** @param home of the server that has created the administrator */
    void login(Path home) throws IOException, InterruptedException {
        String password = Files.readString(home.resolve("data/auth/initial-admin-password"))
                .trim();
        String answer = send("POST", "/v3/auth/user/login?username=nacos&password=" + password);
        token = TOKEN.matcher(answer).results().findFirst().orElseThrow().group(1);
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
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + address.get() + "/nacos" + path))
                .method(method, BodyPublishers.noBody())
                .timeout(PATIENCE);
        if (!token.isEmpty()) {
            request.header("accessToken", token);
        }
        HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString(UTF_8));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }
}
