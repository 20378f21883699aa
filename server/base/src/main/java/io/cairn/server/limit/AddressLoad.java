package io.cairn.server.limit;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the connections from one address, and the requests of its clients without identification. */
public final class AddressLoad {

    final AtomicInteger connections = new AtomicInteger();
    private final RequestRate requests = new RequestRate();

    public RequestRate requests() {
        return requests;
    }
}
