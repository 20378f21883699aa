package io.cairn.junit;

import io.cairn.junit.isolation.IsolatedServer;
import io.cairn.junit.processes.Folders;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A running server of a test: where it is, and short ways to put something into it. It can be stopped and started again,
 * on the same ports and with what it had, to see how a client takes that. What cannot be done throws: with the server's
 * answer {@link IllegalStateException}, without one after 30 s {@link UncheckedIOException}. Thread-safe.
 */
public final class CairnTestServer {

    private final Map<String, String> settings;
    private final Path home;
    private final ServerCalls calls = new ServerCalls(this::uri);
    /** Guarded by this. */
    private @Nullable IsolatedServer running;

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

    /**
     * The bootstrap with which a gRPC client takes its endpoints and routes from this server over xDS, for channels to
     * {@code xds:///service}. grpc-java reads it from the system property {@code io.grpc.xds.bootstrapConfig}.
     *
     * @param nodeId by which {@code GET /v3/admin/mesh/proxies} lists the client
     */
    public String xdsBootstrap(String nodeId) {
        String escaped = nodeId.replace("\\", "\\\\").replace("\"", "\\\"");
        return "{\"xds_servers\":[{\"server_uri\":\"127.0.0.1:" + grpcPort()
                + "\",\"channel_creds\":[{\"type\":\"insecure\"}],\"server_features\":[\"xds_v3\"]}],"
                + "\"node\":{\"id\":\"" + escaped + "\",\"cluster\":\"test\"}}";
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
        calls.publish(config);
    }

    /** The content of a configuration of the default namespace; empty when there is none. */
    public Optional<String> config(String dataId, String group) {
        return calls.config(dataId, group);
    }

    /** Registers an instance that stays without beats until it is removed or the server ends; for services that a test pretends. */
    public void register(String service, String host, int port) {
        calls.register(service, host, port);
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
        Folders.delete(home);
    }
}
