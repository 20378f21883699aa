package io.cairn.server.http.core;

import io.cairn.server.config.ReadPool;
import io.cairn.server.http.envelope.SilentNodes;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/** The recent latencies of all nodes' pushes. Never blocks. */
public final class PushLatencyReads {

    private final NodeRead<PushLatency> latencies;

    /**
     * @param history of this node
     * @param pool reads the histories of others
     */
    public PushLatencyReads(PushHistory history, ClusterReads nodes, ReadPool pool) {
        this.latencies =
                NodeRead.declare(nodes, "push.latency", PushLatency.class, asked -> List.of(history.latency()), pool);
    }

    public <R> CompletionStage<R> read(BiFunction<PushLatency, SilentNodes, R> answer) {
        return latencies
                .all(Map.of())
                .thenApply(all -> answer.apply(PushLatency.of(all.rows(), PushHistory.KEPT), all.silent()));
    }
}
