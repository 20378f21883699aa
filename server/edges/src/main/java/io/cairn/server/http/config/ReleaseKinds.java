package io.cairn.server.http.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.NodeStatus;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Refuses a release whose kind of rule is unknown to a node of the cluster: that node would serve the content for all to the clients
 * of the release. Nodes of an earlier version do not answer the question. Never blocks.
 */
public final class ReleaseKinds {

    private final ClusterMembers members;
    private final NodeRead<Kind> onNodes;
    private final Map<String, Known> answers = new ConcurrentHashMap<>();

    public ReleaseKinds(ClusterMembers members, ClusterReads nodes, ReadPool pool) {
        this.members = members;
        this.onNodes = NodeRead.declare(nodes, "config.release.kinds", Kind.class, asked -> kinds(), pool);
    }

    record Kind(String node, String type) {}

    /** The kinds of a node. A node that was started again is asked again. */
    private record Known(long startedAt, Set<String> types) {}

    private List<Kind> kinds() {
        String self = members.self().address();
        return GrayRule.TYPES.stream().map(type -> new Kind(self, type)).toList();
    }

    /** Fails with {@code UNAVAILABLE} and the names of the nodes. */
    public CompletionStage<Void> check(GrayRule rule) {
        if (rule.isKnownToNacos() || without(rule).isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Map<String, Long> asked = without(rule);
        return onNodes.all(Map.of()).thenAccept(found -> {
            asked.forEach((node, startedAt) -> {
                Set<String> types = found.rows().stream()
                        .filter(kind -> kind.node().equals(node))
                        .map(Kind::type)
                        .collect(Collectors.toSet());
                if (!types.isEmpty()) {
                    answers.put(node, new Known(startedAt, types));
                }
            });
            Map<String, Long> left = without(rule);
            if (!left.isEmpty()) {
                throw new CairnException(
                        ErrorCode.UNAVAILABLE,
                        "release '" + rule.name() + "' of kind " + rule.type() + " is not published: "
                                + String.join(", ", left.keySet())
                                + " did not answer that it knows this kind; publish again, and upgrade or end that node if"
                                + " it stays so");
            }
        });
    }

    /** The other living nodes that are not known to know the kind, with their start, by address. */
    private Map<String, Long> without(GrayRule rule) {
        String self = members.self().address();
        Map<String, Long> all = new TreeMap<>();
        for (NodeStatus node : members.all()) {
            Known known = answers.get(node.address());
            boolean knows = known != null && known.startedAt == node.startedAt() && known.types.contains(rule.type());
            if (!knows
                    && node.presence() != NodeStatus.Presence.ABSENT
                    && !node.address().equals(self)) {
                all.put(node.address(), node.startedAt());
            }
        }
        return all;
    }
}
