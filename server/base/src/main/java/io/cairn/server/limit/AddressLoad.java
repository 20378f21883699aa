package io.cairn.server.limit;

import java.util.concurrent.atomic.AtomicInteger;

/** What comes from one address: its connections, and the requests of those who do not say who they are. */
public final class AddressLoad {

    final AtomicInteger connections = new AtomicInteger();
    private final RequestRate requests = new RequestRate();

    /** The requests of all from there who are nobody in particular. */
    public RequestRate requests() {
        return requests;
    }
}
