package io.cairn.server.http.nodes;

import io.cairn.server.http.envelope.SilentNodes;
import java.util.List;

/**
 * A list as all nodes that have answered know it.
 *
 * @param rows those of this node first
 * @param silent the nodes whose rows are missing
 */
public record Gathered<R>(List<R> rows, SilentNodes silent) {

    public Gathered {
        rows = List.copyOf(rows);
    }

    /** The rows of this node, when only those are asked for. */
    public static <R> Gathered<R> here(List<R> rows) {
        return new Gathered<>(rows, SilentNodes.NONE);
    }
}
