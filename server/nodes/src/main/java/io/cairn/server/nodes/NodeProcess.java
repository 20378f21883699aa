package io.cairn.server.nodes;

import java.nio.file.Path;
import java.util.List;

/** One run of a node of a cluster, in a process of its own. Calls come from one thread. */
public interface NodeProcess extends AutoCloseable {

    /** Starts servers: those of the class path, or the packed one. */
    @FunctionalInterface
    interface Launcher {

        /**
         * Starts a node and returns at once.
         *
         * @param home its folder, made when absent
         * @param httpPort the port for HTTP; the one for gRPC is 1,000 above
         * @param arguments settings as program arguments: {@code --name=value}
         */
        NodeProcess launch(Path home, int httpPort, List<String> arguments);
    }

    /** Returns when the node serves; throws an exception or error with the cause when it does not come up. */
    void awaitReady();

    /** The process id of a node that has served. */
    long pid();

    /** SIGKILL; returns when the process is gone. */
    void kill();

    /** SIGTERM; returns when the process has ended. */
    void stop();

    /** The output of this run, for the message of a failure. */
    String output();

    /** Kills the process where it runs. */
    @Override
    void close();
}
