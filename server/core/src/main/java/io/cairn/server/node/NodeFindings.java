package io.cairn.server.node;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.util.List;

public final class NodeFindings implements FindingSource {

    private final ClusterMembers members;

    public NodeFindings(ClusterMembers members) {
        this.members = members;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        return members.findings().stream()
                .map(found -> new Finding(
                        Finding.Kind.valueOf(found.kind().name()),
                        found.isUrgent(),
                        found.node(),
                        "",
                        found.detail(),
                        found.number(),
                        0,
                        0,
                        found.cause() == NodeFinding.Cause.NONE
                                ? ""
                                : found.cause().name()))
                .toList();
    }
}
