package io.cairn.server.node;

import io.cairn.api.error.CairnException;
import java.time.Duration;
import java.util.List;

/**
 * The nodes' heartbeats in the shared database; ages by its clock. Blocks on the database for a few seconds at most, so keep it off
 * event loops. Throws {@link CairnException} with {@code UNAVAILABLE} without the database.
 */
public interface NodeTable {

    /** The interval of heartbeats. */
    Duration BEAT_INTERVAL = Duration.ofSeconds(2);

    /** A node with a younger heartbeat runs. */
    Duration BEATING_WITHIN = Duration.ofSeconds(6);

    /** {@link #recentNodes()} lists nodes with a younger heartbeat. */
    Duration RECENT_WITHIN = Duration.ofMinutes(1);

    /** Older rows are deleted. */
    Duration FORGOTTEN_AFTER = Duration.ofDays(1);

    /**
     * Writes this node's row with the database's time.
     *
     * @return false, without a write, when a later run with this address is beating: two nodes have the same address
     */
    boolean beat(Row row);

    /** Nodes with a heartbeat within {@link #RECENT_WITHIN}, by address. */
    List<Heartbeat> recentNodes();

    /** Deletes this run's row at its clean stop; another run's row stays. */
    void remove(NodeId node);

    /** Deletes rows older than {@link #FORGOTTEN_AFTER}; returns their number. */
    int forgetSilent();

    /**
     * A node's row.
     *
     * @param node with {@code host:port} of HTTP for other nodes
     * @param groupPort on the same host
     * @param grpcPort for clients, on the same host
     * @param version of the release
     * @param protocol newest number of the group's protocol
     * @param state by name
     * @param sees addresses in its view, with its own
     * @param revision the last that it shows
     * @param connections of clients
     * @param startedAtMillis by its own clock
     */
    record Row(
            NodeId node,
            int groupPort,
            int grpcPort,
            String version,
            int protocol,
            String state,
            List<String> sees,
            long revision,
            int connections,
            long startedAtMillis) {

        public Row {
            sees = List.copyOf(sees);
        }
    }

    /** @param age since the heartbeat */
    record Heartbeat(Row row, Duration age) {

        public boolean isBeating() {
            return age.compareTo(BEATING_WITHIN) < 0;
        }
    }
}
