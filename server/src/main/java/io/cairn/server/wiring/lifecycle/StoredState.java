package io.cairn.server.wiring.lifecycle;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The parts that keep rows of the database in memory. Each part registers when it is built. */
public final class StoredState {

    private final List<Runnable> parts = new CopyOnWriteArrayList<>();

    /** @param reload reads one part again; blocks */
    public void follow(Runnable reload) {
        parts.add(reload);
    }

    public void reload() {
        parts.forEach(Runnable::run);
    }
}
