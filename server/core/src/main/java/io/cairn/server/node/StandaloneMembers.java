package io.cairn.server.node;

import java.util.List;
import java.util.function.Supplier;

/** A single server: the only node. */
public final class StandaloneMembers implements ClusterMembers {

    private final Supplier<NodeStatus> self;

    public StandaloneMembers(Supplier<NodeStatus> self) {
        this.self = self;
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public NodeStatus self() {
        return self.get();
    }

    @Override
    public List<NodeStatus> all() {
        return List.of(self.get());
    }

    @Override
    public List<CopyStatus> copies() {
        return List.of();
    }

    @Override
    public List<NodeFinding> findings() {
        return List.of();
    }
}
