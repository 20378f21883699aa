package io.cairn.junit;

import io.cairn.junit.processes.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A server of a test's cluster. Thread-safe. */
public final class CairnTestNode {

    private final int httpPort;
    private final ServerProcess process;
    private final ServerCalls calls = new ServerCalls(this::uri);

    CairnTestNode(int httpPort, Path home, Map<String, String> settings) {
        this.httpPort = httpPort;
        process = new ServerProcess(home, settings);
    }

    /** {@code host:port}, as the server address of a client; the gRPC port is 1000 higher. */
    public String address() {
        return "127.0.0.1:" + httpPort;
    }

    public int httpPort() {
        return httpPort;
    }

    public int grpcPort() {
        return httpPort + 1000;
    }

    /** The base of the HTTP API, {@code http://127.0.0.1:port/nacos}. */
    public URI uri() {
        return URI.create("http://" + address() + "/nacos");
    }

    /** Whether the server is running and not paused. */
    public boolean serves() {
        return process.serves();
    }

    /** The content of a configuration of the default namespace on this server; empty when it does not exist. */
    public Optional<String> config(String dataId, String group) {
        return calls.config(dataId, group);
    }

    /** Stops a running server with a regular shutdown, which first moves its clients. */
    public void stop() {
        process.stop();
    }

    /** Kills a running server like a crash (SIGKILL). */
    public void kill() {
        process.kill();
    }

    /** Pauses the server (SIGSTOP): connections stay open without responses until {@link #resume}. */
    public void pause() {
        process.pause();
    }

    /** Resumes a paused server. */
    public void resume() {
        process.resume();
    }

    /** Starts the server again, with its ports and data; returns when it is ready. */
    public void start() {
        launch();
        awaitReady();
    }

    void launch() {
        process.launch();
    }

    void awaitReady() {
        process.awaitReady();
    }

    void recordClasses() {
        process.recordClasses();
    }

    ServerCalls calls() {
        return calls;
    }

    /** The output of the server, for failure messages. */
    public String output() {
        return process.output();
    }

    @Override
    public String toString() {
        return address();
    }
}
