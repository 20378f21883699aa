package io.cairn.server.http.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes by their own descriptions.
 *
 * @param cluster false for a single server
 * @param node the address of the answering node
 */
public record ClusterStatus(boolean cluster, String node, List<Node> nodes) {

    /**
     * A node. Without an answer the answering node describes it, and unknown figures are 0.
     *
     * @param answered whether it describes itself
     * @param state {@code JOINING}, {@code READY}, {@code DRAINING} or {@code ISOLATED}
     * @param presence in the view of the answering node: {@code PRESENT}, {@code SUSPECTED}, {@code ABSENT} or {@code INCOMPATIBLE}
     * @param reason why it is not in service; else left out
     * @param startedAt epoch milliseconds
     * @param since of the state's begin
     * @param seenAt of its last heartbeat here
     * @param connections clients over gRPC
     * @param subscriptions of its clients to services
     * @param owned its own publications
     * @param mirrored publications of other nodes
     * @param behind missing changes of other nodes
     * @param behindMillis for how long changes are missing
     * @param digestsEqual whether its copies equal their originals; left out before a comparison
     * @param revision the last shown
     * @param revisionsBehind the lead of another node
     * @param clockOffsetMillis the lead of its clock over the answering node's; left out if unknown
     * @param copies of the other nodes
     */
    public record Node(
            String address,
            boolean answered,
            String state,
            String presence,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String reason,

            String version,
            long startedAt,
            long since,
            long seenAt,
            long connections,
            long subscriptions,
            long owned,
            long mirrored,
            long behind,
            long behindMillis,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Boolean digestsEqual,

            long revision,
            long revisionsBehind,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Long clockOffsetMillis,

            List<Copy> copies) {}

    /**
     * A node's copy of another one.
     *
     * @param owner the address of the other
     * @param entries publications and checks
     */
    public record Copy(
            String owner,
            long entries,
            long behind,
            long behindMillis,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Boolean digestsEqual) {}
}
