package io.cairn.server.wiring.lifecycle;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The parts of the server that keep rows of the database in memory. Each part follows as it is built. Thread-safe. */
public final class StoredState {

    private final List<Runnable> parts = new CopyOnWriteArrayList<>();

    /** @param reload reads one part again; blocks */
    public void follow(Runnable reload) {
        parts.add(reload);
    }

    /** Reads all parts again, in the order in which they followed. Blocks. */
    public void reload() {
        parts.forEach(Runnable::run);
    }
}
