package io.cairn.server.connection;

import java.util.concurrent.atomic.AtomicLong;

/** Increasing decimal ids of pushes. */
public final class RequestIds {

    private final AtomicLong last = new AtomicLong();

    public String next() {
        return Long.toString(last.incrementAndGet());
    }
}
