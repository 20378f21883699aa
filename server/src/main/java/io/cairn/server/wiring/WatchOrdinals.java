package io.cairn.server.wiring;

import java.util.concurrent.atomic.AtomicLong;

record WatchOrdinals(AtomicLong last) {

    WatchOrdinals() {
        this(new AtomicLong());
    }
}
