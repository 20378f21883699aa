package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.server.node.NodeTable;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the nodes with a heartbeat in the shared database, with their group ports. */
record DatabaseLookup(NodeTable nodes, int usualPort) implements MemberLookup {

    private static final Logger log = LoggerFactory.getLogger(DatabaseLookup.class);

    @Override
    public List<MemberAddress> read() throws IOException {
        List<NodeTable.Heartbeat> recent;
        try {
            recent = nodes.recentNodes();
        } catch (CairnException e) {
            throw new IOException(source() + " cannot be read: " + e.getMessage(), e);
        }
        Set<MemberAddress> members = new LinkedHashSet<>();
        for (NodeTable.Heartbeat node : recent) {
            NodeTable.Row row = node.row();
            try {
                MemberAddress address = MemberAddress.parse(row.node().address(), usualPort);
                members.add(new MemberAddress(address.host(), address.httpPort(), row.groupPort()));
            } catch (IllegalArgumentException e) {
                // The row is of another node, perhaps of a later version; use the other rows.
                log.debug("Passed over a row of cairn_node: {}", e.getMessage());
            }
        }
        return List.copyOf(members);
    }

    @Override
    public String source() {
        return "the table cairn_node";
    }

    @Override
    public boolean isComplete() {
        return false;
    }
}
