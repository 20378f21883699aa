package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The table of nodes of a database that all nodes of a test reach. */
final class SharedNodeTable implements NodeTable {

    private final Map<String, Written> rows = new ConcurrentSkipListMap<>();

    private record Written(Row row, long atNanos) {}

    @Override
    public boolean beat(Row row) {
        rows.put(row.node().address(), new Written(row, System.nanoTime()));
        return true;
    }

    @Override
    public List<Heartbeat> recentNodes() {
        long now = System.nanoTime();
        return rows.values().stream()
                .map(each -> new Heartbeat(each.row(), Duration.ofNanos(now - each.atNanos())))
                .filter(each -> each.age().compareTo(RECENT_WITHIN) < 0)
                .toList();
    }

    @Override
    public void remove(NodeId node) {
        rows.computeIfPresent(
                node.address(), (address, each) -> each.row().node().equals(node) ? null : each);
    }

    @Override
    public int forgetSilent() {
        return 0;
    }
}
