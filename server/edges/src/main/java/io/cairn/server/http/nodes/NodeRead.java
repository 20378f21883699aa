package io.cairn.server.http.nodes;

import io.cairn.server.config.ReadPool;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.SilentNodes;
import io.cairn.server.node.ClusterReads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * A list with a part on each node, declared once: name, rows, and the source of own rows. A node answers the others by the same
 * declaration. Never blocks.
 *
 * @param <R> a record for Jackson; releases add components, and never rename them
 */
public final class NodeRead<R extends Record> {

    private static final Logger log = LoggerFactory.getLogger(NodeRead.class);

    private final ClusterReads nodes;
    private final String name;
    private final Class<R> row;
    private final Function<Map<String, String>, CompletionStage<List<R>>> own;
    private final ReadPool pool;

    private NodeRead(
            ClusterReads nodes,
            String name,
            Class<R> row,
            Function<Map<String, String>, CompletionStage<List<R>>> own,
            ReadPool pool) {
        this.nodes = nodes;
        this.name = name;
        this.row = row;
        this.own = own;
        this.pool = pool;
    }

    /**
     * Declares a list, and answers the other nodes.
     *
     * @param own the rows of this node, from memory
     * @param pool reads and writes the rows of others
     */
    public static <R extends Record> NodeRead<R> declare(
            ClusterReads nodes, String name, Class<R> row, Function<Map<String, String>, List<R>> own, ReadPool pool) {
        nodes.answer(name, parameters -> pool.read(() -> JsonBody.ofRows(own.apply(parameters))));
        return new NodeRead<>(
                nodes, name, row, parameters -> CompletableFuture.completedFuture(own.apply(parameters)), pool);
    }

    /** As {@link #declare}, for rows that a node has after a wait; see {@link #allWithin}. */
    public static <R extends Record> NodeRead<R> declareWaiting(
            ClusterReads nodes,
            String name,
            Class<R> row,
            Function<Map<String, String>, CompletionStage<List<R>>> own,
            ReadPool pool) {
        nodes.answer(
                name, parameters -> own.apply(parameters).thenCompose(rows -> pool.read(() -> JsonBody.ofRows(rows))));
        return new NodeRead<>(nodes, name, row, own, pool);
    }

    /** The rows of all nodes that answer within that time. */
    public CompletionStage<Gathered<R>> allWithin(Map<String, String> parameters, Duration within) {
        CompletionStage<ClusterReads.Others> others = nodes.askOthers(name, parameters, within);
        return joined(own.apply(parameters), others);
    }

    /** The rows of all nodes; finds its own in the calling thread. */
    public CompletionStage<Gathered<R>> all(Map<String, String> parameters) {
        CompletionStage<ClusterReads.Others> others = nodes.askOthers(name, parameters);
        return joined(own.apply(parameters), others);
    }

    /** As {@link #all}; finds its own rows on the pool. */
    public CompletionStage<Gathered<R>> allOnPool(Map<String, String> parameters) {
        CompletionStage<ClusterReads.Others> others = nodes.askOthers(name, parameters);
        return joined(onPool(parameters), others);
    }

    /** This node's rows, found on the pool. */
    public CompletionStage<Gathered<R>> hereOnPool(Map<String, String> parameters) {
        return onPool(parameters).thenApply(Gathered::here);
    }

    private CompletionStage<List<R>> onPool(Map<String, String> parameters) {
        return pool.read(() -> own.apply(parameters)).thenCompose(Function.identity());
    }

    private CompletionStage<Gathered<R>> joined(
            CompletionStage<List<R>> rows, CompletionStage<ClusterReads.Others> others) {
        return rows.thenCombine(others, this::joined).thenCompose(Function.identity());
    }

    private CompletionStage<Gathered<R>> joined(List<R> rows, ClusterReads.Others others) {
        if (others.json().isEmpty()) {
            return CompletableFuture.completedFuture(new Gathered<>(rows, new SilentNodes(others.silent())));
        }
        return pool.read(() -> {
            List<R> all = new ArrayList<>(rows);
            List<String> silent = new ArrayList<>(others.silent());
            others.json().forEach((node, json) -> {
                try {
                    all.addAll(JsonBody.rows(json, row));
                } catch (JacksonException e) {
                    log.warn(
                            "The answer of {} to the question {} is left out, because it cannot be read: {}",
                            node,
                            name,
                            e.getOriginalMessage());
                    silent.add(node);
                }
            });
            return new Gathered<>(all, new SilentNodes(silent));
        });
    }
}
