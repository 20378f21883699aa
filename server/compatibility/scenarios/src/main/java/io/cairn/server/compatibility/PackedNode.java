package io.cairn.server.compatibility;

import io.cairn.server.nodes.NodeProcess;
import io.cairn.server.process.CairnProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A node of a cluster that runs from the packed server. */
final class PackedNode implements NodeProcess {
    private final CompletableFuture<CairnProcess> server;

    private PackedNode(CompletableFuture<CairnProcess> server) {
        this.server = server;
    }

    /** Starts nodes that have these settings too, as program arguments. */
    static Launcher with(String... settings) {
        return (home, httpPort, arguments) -> launch(CairnProcess.builder(), home, httpPort, arguments, settings);
    }

    /** Starts nodes of another build, which is unpacked there. */
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
            return; // nothing of it is left, and awaitReady() told why
        }
        started.kill();
        started.close();
    }
}
