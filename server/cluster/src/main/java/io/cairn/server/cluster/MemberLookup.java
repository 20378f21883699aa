package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import java.io.IOException;
import java.util.List;

/** A source of the addresses at which members may be found. Read by one thread at a time; may block for some seconds. */
public sealed interface MemberLookup permits MemberList, MemberFile, AddressServerLookup, DnsLookup, DatabaseLookup {

    /**
     * Reads the nodes that the source names now, each once.
     *
     * @throws IOException if the source cannot be reached or read; the message names it and says why
     * @throws CairnException if the source is there and says what cannot be, such as a line that is no address
     */
    List<MemberAddress> read() throws IOException;

    /** The source, as operators know it: {@code conf/cluster.conf}, or the name of a setting. */
    String source();

    /** Whether the source names all nodes, so that it must name this one. */
    boolean isComplete();
}
