package io.cairn.server.push;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** Records the pushes that it gets. */
class TestWatcher implements Watcher {

    final List<String> heard = new CopyOnWriteArrayList<>();
    volatile boolean closed;
    private final Executor loop;
    private final AtomicLong asked;

    TestWatcher() {
        this(Runnable::run, new AtomicLong());
    }

    TestWatcher(Executor loop) {
        this(loop, new AtomicLong());
    }

    /** @param asked counts how often any of several watchers was asked whether it is closed */
    TestWatcher(AtomicLong asked) {
        this(Runnable::run, asked);
    }

    private TestWatcher(Executor loop, AtomicLong asked) {
        this.loop = loop;
        this.asked = asked;
    }

    @Override
    public boolean isClosed() {
        asked.incrementAndGet();
        return closed;
    }

    @Override
    public Executor loop() {
        return loop;
    }

    @Override
    public void changed(WatchedKey<?> watched, Push push) {
        heard.add(push.payload(0).bodyText());
    }
}
