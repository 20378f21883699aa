package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The administrator of the accounts of a Nacos. */
final class NacosAccounts {

    private static final Pattern TOKEN = Pattern.compile("\"accessToken\":\"([^\"]+)\"");

    private final HttpClient http = HttpClient.newHttpClient();
    private final String base;
    /** Ends the last part of a path, which names one thing in version 3. */
    private final String plural;

    private String token = "";

    private NacosAccounts(String base, String plural) {
        this.base = base;
        this.plural = plural;
    }

    static NacosAccounts logIn(NacosProcess.Release release, String address, String password)
            throws IOException, InterruptedException {
        boolean v3 = release == NacosProcess.Release.NACOS_3_1;
        NacosAccounts accounts =
                new NacosAccounts("http://" + address + "/nacos/" + (v3 ? "v3" : "v1") + "/auth/", v3 ? "" : "s");
        String answer = accounts.post("user", "/login", Map.of("username", "nacos", "password", password));
        Matcher found = TOKEN.matcher(answer);
        if (!found.find()) {
            throw new IOException("no token in " + answer);
        }
        accounts.token = found.group(1);
        return accounts;
    }

    void createUser(String name, String password) throws IOException, InterruptedException {
        post("user", "", Map.of("username", name, "password", password));
    }

    void createRole(String role, String user) throws IOException, InterruptedException {
        post("role", "", Map.of("role", role, "username", user));
    }

    void grant(String role, String resource, String action) throws IOException, InterruptedException {
        post("permission", "", Map.of("role", role, "resource", resource, "action", action));
    }

    private String post(String kind, String action, Map<String, String> parameters)
            throws IOException, InterruptedException {
        Map<String, String> all = new TreeMap<>(parameters);
        if (!token.isEmpty()) {
            all.put("accessToken", token);
        }
        String query = all.entrySet().stream()
                .map(each -> each.getKey() + '=' + URLEncoder.encode(each.getValue(), UTF_8))
                .collect(Collectors.joining("&"));
        HttpRequest request = HttpRequest.newBuilder(URI.create(base + kind + plural + action + '?' + query))
                .timeout(PATIENCE)
                .POST(BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString(UTF_8));
        if (response.statusCode() != 200) {
            throw new IOException(
                    request.uri().getPath() + ": status " + response.statusCode() + ", " + response.body());
        }
        return response.body();
    }
}
