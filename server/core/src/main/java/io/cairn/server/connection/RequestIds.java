package io.cairn.server.connection;

import java.util.concurrent.atomic.AtomicLong;

/** Numbers the pushes of this server, as increasing decimal texts. Thread-safe. */
public final class RequestIds {

    private final AtomicLong last = new AtomicLong();

    public String next() {
        return Long.toString(last.incrementAndGet());
    }
}
