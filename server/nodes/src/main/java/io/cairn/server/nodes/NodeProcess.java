package io.cairn.server.nodes;

import java.nio.file.Path;
import java.util.List;

/** One run of a node, in its own process. For one thread. */
public interface NodeProcess extends AutoCloseable {

    /** Starts servers from the class path or the packed distribution. */
    @FunctionalInterface
    interface Launcher {

        /**
         * Returns at once.
         *
         * @param home created when absent
         * @param httpPort gRPC has the port + 1,000
         * @param arguments as {@code --name=value}
         */
        NodeProcess launch(Path home, int httpPort, List<String> arguments);
    }

    /** Returns when the node serves; throws the cause of a failed start. */
    void awaitReady();

    /** The process id of a node that has served. */
    long pid();

    void kill();

    void stop();

    String output();

    /** Kills the process where it runs. */
    @Override
    void close();
}
