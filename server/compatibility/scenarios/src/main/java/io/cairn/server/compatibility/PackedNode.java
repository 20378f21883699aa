package io.cairn.server.compatibility;

import io.cairn.server.nodes.NodeProcess;
import io.cairn.server.process.CairnProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A node from the packed server. */
final class PackedNode implements NodeProcess {
    private final CompletableFuture<CairnProcess> server;

    private PackedNode(CompletableFuture<CairnProcess> server) {
        this.server = server;
    }

    /** Adds settings as program arguments. */
    static Launcher with(String... settings) {
        return (home, httpPort, arguments) -> launch(CairnProcess.builder(), home, httpPort, arguments, settings);
    }

    /** Starts nodes of another unpacked build. */
    static Launcher of(Path distribution) {
        return (home, httpPort, arguments) ->
                launch(CairnProcess.builder().distribution(distribution), home, httpPort, arguments);
    }

    private static PackedNode launch(
            CairnProcess.Builder builder, Path home, int httpPort, List<String> arguments, String... settings) {
        builder.home(home)
                .httpPort(httpPort)
                .programArguments(arguments.toArray(String[]::new))
                .programArguments(settings);
        return new PackedNode(CompletableFuture.supplyAsync(
                builder::start, task -> new Thread(task, "start of node " + httpPort).start()));
    }

    @Override
    public void awaitReady() {
        server.join();
    }

    @Override
    public long pid() {
        return server.join().pid();
    }

    @Override
    public void kill() {
        server.join().kill();
    }

    @Override
    public void stop() {
        server.join().stop();
    }

    @Override
    public String output() {
        return server.join().output();
    }

    @Override
    public void close() {
        CairnProcess started;
        try {
            started = server.join();
        } catch (CompletionException notStarted) {
            return; // Nothing of it is left, and awaitReady() has the cause
        }
        started.kill();
        started.close();
    }
}
