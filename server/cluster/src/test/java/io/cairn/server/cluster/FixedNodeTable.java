package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** A table of nodes that is read only. */
record FixedNodeTable(Supplier<List<Heartbeat>> recent) implements NodeTable {

    /** A node that has just written its row. */
    static Heartbeat node(String address, int groupPort) {
        Row row = new Row(new NodeId(address, 1), groupPort, 9848, "test", 1, "READY", List.of(address), 0, 0, 1);
        return new Heartbeat(row, Duration.ZERO);
    }

    @Override
    public List<Heartbeat> recentNodes() {
        return recent.get();
    }

    @Override
    public boolean beat(Row row) {
        throw new UnsupportedOperationException("a lookup writes nothing");
    }

    @Override
    public void remove(NodeId node) {
        throw new UnsupportedOperationException("a lookup writes nothing");
    }

    @Override
    public int forgetSilent() {
        throw new UnsupportedOperationException("a lookup writes nothing");
    }
}
