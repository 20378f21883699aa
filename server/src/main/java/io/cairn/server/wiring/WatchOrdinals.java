package io.cairn.server.wiring;

import java.util.concurrent.atomic.AtomicLong;

/** Numbers whatever connections watch, of all kinds. */
record WatchOrdinals(AtomicLong last) {

    WatchOrdinals() {
        this(new AtomicLong());
    }
}
