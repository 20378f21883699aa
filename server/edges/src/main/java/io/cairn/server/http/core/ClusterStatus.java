package io.cairn.server.http.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes as each of them describes itself.
 *
 * @param cluster false for a single server, which is the only node
 * @param node the address of the node that answers
 */
public record ClusterStatus(boolean cluster, String node, List<Node> nodes) {

    /**
     * A node. A node that has not answered is described as the answering node knows it; figures that nobody knows are 0.
     *
     * @param answered whether the description is its own
     * @param state {@code JOINING}, {@code READY}, {@code DRAINING} or {@code ISOLATED}
     * @param presence {@code PRESENT}, {@code SUSPECTED}, {@code ABSENT} or {@code INCOMPATIBLE}, as the answering node sees it
     * @param reason why it is not in service; left out when it is
     * @param startedAt epoch milliseconds
     * @param since epoch milliseconds from which it is in this state
     * @param seenAt epoch milliseconds at which the answering node has heard of it last
     * @param connections clients over gRPC
     * @param subscriptions subscriptions of its clients to services; 0 when it has not answered
     * @param owned publications that it owns
     * @param mirrored publications of other nodes that it has
     * @param behind changes of other nodes that it does not have yet
     * @param behindMillis for how long it has not had all of them
     * @param digestsEqual whether its copies are those of their owners; left out while they were not compared
     * @param revision the last one of the change log that it shows
     * @param revisionsBehind how many revisions another node shows beyond that
     * @param clockOffsetMillis how far its clock is ahead of that of the answering node; left out while it is not known
     * @param copies how far it has what each other node owns; empty when it has not answered
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
     * The copy that a node has of another one.
     *
     * @param owner the address of the other node
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
