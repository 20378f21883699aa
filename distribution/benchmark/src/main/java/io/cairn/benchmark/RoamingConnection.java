package io.cairn.benchmark;

import io.cairn.benchmark.wire.GrpcConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one of several nodes, which is made again to the next one after it was lost. Used by one thread, except that
 * {@link #node} may be called by any.
 */
final class RoamingConnection {
    private final List<Session> nodes;
    private final Function<Session, CompletableFuture<GrpcConnection>> opening;
    private final Consumer<RoamingConnection> opened;
    private volatile int node;
    private @Nullable GrpcConnection connection;
    private @Nullable CompletableFuture<GrpcConnection> attempt;
    private long lost;

    /** @param opened is called after each connection that replaces a lost one */
    RoamingConnection(
            List<Session> nodes,
            int first,
            Function<Session, CompletableFuture<GrpcConnection>> opening,
            Consumer<RoamingConnection> opened) {
        this.nodes = nodes;
        this.node = first;
        this.opening = opening;
        this.opened = opened;
    }

    int node() {
        return node;
    }

    /** How often it was connected again. */
    long lost() {
        return lost;
    }

    CompletableFuture<GrpcConnection> open() {
        attempt = opening.apply(nodes.get(node));
        return attempt;
    }

    /** Null while there is none. */
    @Nullable
    GrpcConnection connection() {
        GrpcConnection present = connection;
        return present != null && present.isOpen() ? present : null;
    }

    /** Takes a connection that was made since the last call, or begins another attempt when the last one failed or was lost. */
    void maintain() {
        CompletableFuture<GrpcConnection> begun = attempt;
        if (begun != null) {
            if (!begun.isDone()) {
                return;
            }
            attempt = null;
            if (!begun.isCompletedExceptionally()) {
                boolean replaces = connection != null;
                connection = begun.join();
                if (replaces) {
                    lost++;
                    opened.accept(this);
                }
                return;
            }
        }
        if (connection() == null) {
            node = (node + 1) % nodes.size();
            open();
        }
    }
}
