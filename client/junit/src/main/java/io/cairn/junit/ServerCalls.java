package io.cairn.junit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Requests to a test server over HTTP; exceptions as in {@link CairnTestServer}. */
final class ServerCalls {

    private static final int TIMEOUT_MILLIS = 30_000;

    private final Supplier<URI> uri;

    /** @param uri the base of the HTTP API, such as {@code http://127.0.0.1:8848/nacos} */
    ServerCalls(Supplier<URI> uri) {
        this.uri = uri;
    }

    void publish(Scaffold config) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("dataId", config.dataId());
        form.put("group", config.group());
        form.put("tenant", config.namespace());
        form.put("content", config.content());
        String type = config.type().isEmpty() ? typeOf(config.dataId()) : config.type();
        if (!type.isEmpty()) {
            form.put("type", type);
        }
        String answer = call("POST", "/v1/cs/configs", form)
                .orElseThrow(() -> new IllegalStateException("The server knows no /v1/cs/configs"));
        if (!answer.equals("true")) {
            throw new IllegalStateException(config.dataId() + " was not stored: " + answer);
        }
    }

    private static String typeOf(String dataId) {
        String ending = dataId.substring(dataId.lastIndexOf('.') + 1);
        return switch (ending) {
            case "yaml", "yml" -> "yaml";
            case "json", "xml", "properties", "html", "toml" -> ending;
            default -> "";
        };
    }

    Optional<String> config(String dataId, String group) {
        return call("GET", "/v1/cs/configs?dataId=" + encode(dataId) + "&group=" + encode(group), Map.of());
    }

    void register(String service, String host, int port) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("serviceName", service);
        form.put("ip", host);
        form.put("port", Integer.toString(port));
        form.put("ephemeral", "false");
        String path = "/v1/ns/instance";
        // Disables health checks, because the instance need not exist.
        callExisting("POST", path, form);
        callExisting(
                "PUT",
                "/v1/ns/cluster?serviceName=" + encode(service)
                        + "&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true&healthChecker="
                        + encode("{\"type\":\"NONE\"}"),
                Map.of());
        callExisting("PUT", "/v1/ns/health/instance", with(form, "healthy", "true"));
    }

    private void callExisting(String method, String path, Map<String, String> form) {
        if (call(method, path, form).isEmpty()) {
            throw new IllegalStateException(method + " " + path + " was answered 404");
        }
    }

    private static Map<String, String> with(Map<String, String> form, String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(form);
        more.put(name, value);
        return more;
    }

    /** The response body; empty for status 404. */
    Optional<String> get(String path) {
        return call("GET", path, Map.of());
    }

    /** Uses a connection without keep-alive, because a pool would leave threads behind. */
    private Optional<String> call(String method, String path, Map<String, String> form) {
        URI target = URI.create(uri.get() + path);
        try {
            HttpURLConnection connection = (HttpURLConnection) target.toURL().openConnection();
            try {
                connection.setRequestMethod(method);
                connection.setConnectTimeout(TIMEOUT_MILLIS);
                connection.setReadTimeout(TIMEOUT_MILLIS);
                connection.setRequestProperty("Connection", "close");
                if (!form.isEmpty()) {
                    connection.setDoOutput(true);
                    connection.setRequestProperty("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8");
                    try (OutputStream out = connection.getOutputStream()) {
                        out.write(encode(form).getBytes(StandardCharsets.US_ASCII));
                    }
                }
                int status = connection.getResponseCode();
                if (status == HttpURLConnection.HTTP_NOT_FOUND) {
                    return Optional.empty();
                }
                try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                    String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    if (status != HttpURLConnection.HTTP_OK) {
                        throw new IllegalStateException(
                                method + " " + target + " was answered " + status + ": " + text);
                    }
                    return Optional.of(text);
                }
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + target + " failed", e);
        }
    }

    private static String encode(Map<String, String> form) {
        StringBuilder text = new StringBuilder();
        form.forEach((name, value) ->
                text.append(text.isEmpty() ? "" : "&").append(name).append('=').append(encode(value)));
        return text.toString();
    }

    private static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}
