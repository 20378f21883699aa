package io.cairn.junit;

import io.cairn.junit.isolation.IsolatedServer;
import io.cairn.junit.processes.Folders;
import io.cairn.junit.processes.FreePorts;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A running server of a test. A stop and a start keep its data and ports.
 * Methods throw {@link IllegalStateException} with the response of a server that rejects a request, and
 * {@link UncheckedIOException} when no response arrives within 30 s. Thread-safe.
 */
public final class CairnTestServer {

    private static final int GRPC_OFFSET = 1_000;

    private final Map<String, String> settings;
    private final Path home;
    private final FreePorts ports = FreePorts.find(List.of(GRPC_OFFSET));
    private final ServerCalls calls = new ServerCalls(this::uri);
    /** Guarded by this. */
    private @Nullable IsolatedServer running;

    /** The first of {@link #ports} unless the settings set another port. */
    private volatile int httpPort;

    private CairnTestServer(Map<String, String> settings, Path home) {
        this.settings = settings;
        this.home = home;
    }

    static CairnTestServer start(Map<String, String> settings, List<Scaffold> configs) {
        Path home = Folders.temporary("test");
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

    /** {@code host:port}, as the server address of a client; the gRPC port is 1000 higher. */
    public String address() {
        return "127.0.0.1:" + httpPort;
    }

    public int httpPort() {
        return httpPort;
    }

    public int grpcPort() {
        return httpPort + GRPC_OFFSET;
    }

    /** The base of the HTTP API, {@code http://127.0.0.1:port/nacos}. */
    public URI uri() {
        return URI.create("http://" + address() + "/nacos");
    }

    /**
     * The bootstrap for gRPC clients and servers that use this server over xDS. grpc-java reads it from the system property
     * {@code io.grpc.xds.bootstrapConfig}.
     *
     * @param nodeId the name of the client in {@code GET /v3/admin/mesh/proxies}
     */
    public String xdsBootstrap(String nodeId) {
        String escaped = nodeId.replace("\\", "\\\\").replace("\"", "\\\"");
        return "{\"xds_servers\":[{\"server_uri\":\"127.0.0.1:" + grpcPort()
                + "\",\"channel_creds\":[{\"type\":\"insecure\"}],\"server_features\":[\"xds_v3\"]}],"
                + "\"node\":{\"id\":\"" + escaped + "\",\"cluster\":\"test\"},"
                + "\"server_listener_resource_name_template\":\"grpc/server?xds.resource.listening_address=%s\"}";
    }

    /** Stores a configuration of the default namespace; durable on return. */
    public void publish(String dataId, String group, String content) {
        publish(new Scaffold("", group, dataId, content, ""));
    }

    /** Stores a configuration; durable on return. */
    public void publish(String namespace, String dataId, String group, String content) {
        publish(new Scaffold(namespace, group, dataId, content, ""));
    }

    void publish(Scaffold config) {
        calls.publish(config);
    }

    /** The content of a configuration of the default namespace; empty when it does not exist. */
    public Optional<String> config(String dataId, String group) {
        return calls.config(dataId, group);
    }

    /** Registers a persistent instance, which is healthy without heartbeats. */
    public void register(String service, String host, int port) {
        calls.register(service, host, port);
    }

    /**
     * Stops the server with a regular shutdown, unless it is stopped; {@link #start} restores its data.
     */
    public synchronized void stop() {
        IsolatedServer server = running;
        running = null;
        if (server != null) {
            server.close();
        }
    }

    /** Starts a stopped server again on the same ports. */
    public synchronized void start() {
        if (running != null) {
            return;
        }
        IsolatedServer server = IsolatedServer.start(home, ports.first(), settings);
        running = server;
        httpPort = server.httpPort();
    }

    void close() {
        stop();
        ports.close();
        Folders.delete(home);
    }
}
