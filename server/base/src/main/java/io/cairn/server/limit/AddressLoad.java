package io.cairn.server.limit;

import java.util.concurrent.atomic.AtomicInteger;

/** The load from one address: its connections, and the requests of clients that do not identify themselves. */
public final class AddressLoad {

    final AtomicInteger connections = new AtomicInteger();
    private final RequestRate requests = new RequestRate();

    /** The requests of all from there who are nobody in particular. */
    public RequestRate requests() {
        return requests;
    }
}
