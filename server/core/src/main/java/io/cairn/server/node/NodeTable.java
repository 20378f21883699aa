package io.cairn.server.node;

import io.cairn.api.error.CairnException;
import java.time.Duration;
import java.util.List;

/**
 * The nodes that write their heartbeat into the shared database. All ages are by the clock of the database. Thread-safe; blocks on the
 * database for a few seconds at most, so keep it off event loops. Each method throws {@link CairnException} with {@code UNAVAILABLE} when
 * the database cannot be reached.
 */
public interface NodeTable {

    /** The pause between two heartbeats of a node. */
    Duration BEAT_INTERVAL = Duration.ofSeconds(2);

    /** A node whose last heartbeat is younger than this is running. */
    Duration BEATING_WITHIN = Duration.ofSeconds(6);

    /** A node whose last heartbeat is younger than this is listed by {@link #recentNodes()}. */
    Duration RECENT_WITHIN = Duration.ofMinutes(1);

    /** A row whose last heartbeat is older than this is deleted. */
    Duration FORGOTTEN_AFTER = Duration.ofDays(1);

    /**
     * Writes the row of this node, with the time of the database.
     *
     * @return false when nothing was written, because a later run with the same address is beating: two nodes have the same address
     */
    boolean beat(Row row);

    /** The nodes whose last heartbeat is younger than {@link #RECENT_WITHIN}, in the order of their addresses. */
    List<Heartbeat> recentNodes();

    /** Deletes the row of this run at its clean stop; the row of another run with the same address stays. */
    void remove(NodeId node);

    /** Deletes rows older than {@link #FORGOTTEN_AFTER}, and returns their number. */
    int forgetSilent();

    /**
     * The row of a node, as that node writes it.
     *
     * @param node its address is {@code host:port} of HTTP, by which other nodes reach this one
     * @param groupPort the port of the group on the same host
     * @param grpcPort the port for gRPC clients on the same host
     * @param version of the release
     * @param protocol the newest number of the group's protocol that it speaks
     * @param state the name of its state
     * @param sees the addresses of the members of its view, its own included
     * @param revision the last revision that it shows
     * @param connections the number of its clients' connections
     * @param startedAtMillis the time of its start by its own clock
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

    /**
     * A row as it was read.
     *
     * @param age time since the heartbeat
     */
    record Heartbeat(Row row, Duration age) {

        /** Whether the node is running, as far as the database knows. */
        public boolean isBeating() {
            return age.compareTo(BEATING_WITHIN) < 0;
        }
    }
}
