package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import java.io.IOException;
import java.util.List;

/** A source of member addresses. For one thread at a time; may block for some seconds. */
public sealed interface MemberLookup permits MemberList, MemberFile, AddressServerLookup, DnsLookup, DatabaseLookup {

    /**
     * The present nodes of the source, each once.
     *
     * @throws IOException if the source is unavailable; the message has its name and the cause
     * @throws CairnException for invalid contents
     */
    List<MemberAddress> read() throws IOException;

    /** The name for operators: {@code conf/cluster.conf}, or a setting. */
    String source();

    /** Whether the source names all nodes, so that it must name this one. */
    boolean isComplete();
}
