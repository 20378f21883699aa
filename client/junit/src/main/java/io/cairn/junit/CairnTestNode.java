package io.cairn.junit;

import io.cairn.junit.processes.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A server of a cluster of a test: where it is, and what may happen to it. Thread-safe. */
public final class CairnTestNode {

    private final int httpPort;
    private final ServerProcess process;
    private final ServerCalls calls = new ServerCalls(this::uri);

    CairnTestNode(int httpPort, Path home, Map<String, String> settings) {
        this.httpPort = httpPort;
        process = new ServerProcess(home, settings);
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

    /** Whether it runs and is not paused. */
    public boolean serves() {
        return process.serves();
    }

    /** The content of a configuration of the default namespace, as this server shows it; empty when there is none. */
    public Optional<String> config(String dataId, String group) {
        return calls.config(dataId, group);
    }

    /** Stops the server as an operator would: its clients are asked to move first. Does nothing when it does not run. */
    public void stop() {
        process.stop();
    }

    /** Ends the server at once, as a crash does (SIGKILL). Does nothing when it does not run. */
    public void kill() {
        process.kill();
    }

    /** Halts the server (SIGSTOP): connections stay, and nothing is answered until {@link #resume}. */
    public void pause() {
        process.pause();
    }

    /** Lets the server go on. Does nothing when it is not paused. */
    public void resume() {
        process.resume();
    }

    /** Starts the server again after {@link #stop} or {@link #kill}, on the same ports and in its folder; returns when it serves. */
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

    /** The output of the server, for the message of a test that fails. */
    public String output() {
        return process.output();
    }

    @Override
    public String toString() {
        return address();
    }
}
