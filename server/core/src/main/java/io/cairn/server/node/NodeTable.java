package io.cairn.server.node;

import io.cairn.api.error.CairnException;
import java.util.List;

/** The nodes that write their heartbeat into the shared database. Thread-safe; blocks on the database. */
public interface NodeTable {

    /**
     * The nodes whose latest heartbeat is less than one minute old by the clock of the database, in the order of their addresses.
     *
     * @throws CairnException {@code UNAVAILABLE} when the database cannot be reached
     */
    List<Row> recentNodes();

    /**
     * @param address {@code host:port} of HTTP, by which other nodes reach this one
     * @param groupPort the port of the group on the same host
     */
    record Row(String address, int groupPort) {}
}
