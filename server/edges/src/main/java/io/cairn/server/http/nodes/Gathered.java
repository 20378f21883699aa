package io.cairn.server.http.nodes;

import io.cairn.server.http.envelope.SilentNodes;
import java.util.List;

/**
 * A list from all answering nodes.
 *
 * @param rows this node's first
 * @param silent nodes whose rows are missing
 */
public record Gathered<R>(List<R> rows, SilentNodes silent) {

    public Gathered {
        rows = List.copyOf(rows);
    }

    public static <R> Gathered<R> here(List<R> rows) {
        return new Gathered<>(rows, SilentNodes.NONE);
    }
}
