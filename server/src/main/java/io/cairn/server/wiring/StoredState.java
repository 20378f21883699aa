package io.cairn.server.wiring;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the server keeps in memory of its database. Each part follows it as it is built. Thread-safe. */
final class StoredState {

    private final List<Runnable> parts = new CopyOnWriteArrayList<>();

    /** @param reload reads one part again; blocks */
    void follow(Runnable reload) {
        parts.add(reload);
    }

    /** Reads all parts again, in the order in which they followed. Blocks. */
    void reload() {
        parts.forEach(Runnable::run);
    }
}
