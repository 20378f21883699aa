package io.cairn.junit;

import io.cairn.junit.isolation.IsolatedServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A running server of a test: where it is, and short ways to put something into it. It can be stopped and started again,
 * on the same ports and with what it had, to see how a client takes that. What cannot be done throws: with the server's
 * answer {@link IllegalStateException}, without one after 30 s {@link UncheckedIOException}. Thread-safe.
 */
public final class CairnTestServer {

    private static final int TIMEOUT_MILLIS = 30_000;

    private final Map<String, String> settings;
    private final Path home;
    /** Guarded by this. */
    private @Nullable IsolatedServer running;

    private volatile int httpPort;

    /** A configuration that is to be there from the start. */
    record Scaffold(String namespace, String group, String dataId, String content, String type) {

        static Scaffold of(CairnConfig config, Class<?> test) {
            if (config.content().isEmpty() == config.resource().isEmpty()) {
                throw new IllegalArgumentException("@CairnConfig(dataId = \"" + config.dataId() + "\") of "
                        + test.getName() + ": either content or resource (expected: one of them)");
            }
            String content = config.resource().isEmpty() ? config.content() : read(config.resource(), test);
            return new Scaffold(config.namespace(), config.group(), config.dataId(), content, config.type());
        }

        private static String read(String resource, Class<?> test) {
            try (InputStream in = test.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IllegalArgumentException("@CairnConfig(resource = \"" + resource + "\") of "
                            + test.getName() + ": not on the class path");
                }
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(resource + " cannot be read", e);
            }
        }
    }

    private CairnTestServer(Map<String, String> settings, Path home) {
        this.settings = settings;
        this.home = home;
    }

    static CairnTestServer start(Map<String, String> settings, List<Scaffold> configs) {
        Path home;
        try {
            home = Files.createTempDirectory(
                    "cairn-test-" + ProcessHandle.current().pid() + "-");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary folder for a Cairn server can be made", e);
        }
        CairnTestServer server = new CairnTestServer(Map.copyOf(settings), home);
        try {
            server.start();
            for (Scaffold config : configs) {
                server.publish(config);
            }
            return server;
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /** {@code host:port} as clients take it for their server address; their gRPC port is 1000 above. */
    public String address() {
        return "127.0.0.1:" + httpPort;
    }

    /** The port of the HTTP API. */
    public int httpPort() {
        return httpPort;
    }

    /** The port of gRPC, 1000 above the one of HTTP. */
    public int grpcPort() {
        return httpPort + 1000;
    }

    /** The address to which paths of the HTTP API are appended: {@code http://127.0.0.1:port/nacos}. */
    public URI uri() {
        return URI.create("http://" + address() + "/nacos");
    }

    /** Stores a configuration of the default namespace; durable, and on its way to listeners, when this returns. */
    public void publish(String dataId, String group, String content) {
        publish(new Scaffold("", group, dataId, content, ""));
    }

    /** Stores a configuration; durable, and on its way to listeners, when this returns. */
    public void publish(String namespace, String dataId, String group, String content) {
        publish(new Scaffold(namespace, group, dataId, content, ""));
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

    /** The content of a configuration of the default namespace; empty when there is none. */
    public Optional<String> config(String dataId, String group) {
        return call("GET", "/v1/cs/configs?dataId=" + encode(dataId) + "&group=" + encode(group), Map.of());
    }

    /** Registers an instance that stays without beats until it is removed or the server ends; for services that a test pretends. */
    public void register(String service, String host, int port) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("serviceName", service);
        form.put("ip", host);
        form.put("port", Integer.toString(port));
        form.put("ephemeral", "false");
        String path = "/v1/ns/instance";
        // Nobody asks whether it is well: a test's instance need not exist.
        tell("POST", path, form);
        tell(
                "PUT",
                "/v1/ns/cluster?serviceName=" + encode(service)
                        + "&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true&healthChecker="
                        + encode("{\"type\":\"NONE\"}"),
                Map.of());
        tell("PUT", "/v1/ns/health/instance", with(form, "healthy", "true"));
    }

    private void tell(String method, String path, Map<String, String> form) {
        if (call(method, path, form).isEmpty()) {
            throw new IllegalStateException(method + " " + path + " was answered 404");
        }
    }

    private static Map<String, String> with(Map<String, String> form, String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(form);
        more.put(name, value);
        return more;
    }

    /** Stops the server as an operator would; what it stored is there again after {@link #start}. Does nothing when it is stopped. */
    public synchronized void stop() {
        IsolatedServer server = running;
        running = null;
        if (server != null) {
            server.close();
        }
    }

    /** Starts the server again after {@link #stop}, on the same ports. Does nothing when it runs. */
    public synchronized void start() {
        if (running != null) {
            return;
        }
        IsolatedServer server = IsolatedServer.start(home, httpPort, settings);
        running = server;
        httpPort = server.httpPort();
    }

    /** Stops the server for good and removes its folder. */
    void close() {
        stop();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("temporary folder " + home + " cannot be deleted", e);
        }
    }

    /** One call over a connection that is closed at once: a client's pool would leave threads behind. */
    private Optional<String> call(String method, String path, Map<String, String> form) {
        URI target = URI.create(uri() + path);
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
