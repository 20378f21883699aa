package io.cairn.junit.isolation;

import java.util.Set;

/**
 * Loads the classes of a first start on a thread of its own, in the order in which a recorded start asked for them,
 * because most of such a start is reading classes on one of several processors. It only saves time: the start itself
 * loads, or fails to load, the classes that this thread could not load.
 */
final class LoadingAhead implements AutoCloseable {

    private final ClassLoader loader;
    private final Set<String> names;
    private final Thread thread;
    private volatile boolean closed;

    private LoadingAhead(ClassLoader loader, Set<String> names) {
        this.loader = loader;
        this.names = names;
        this.thread = new Thread(this::run, "cairn-junit-ahead");
        thread.setDaemon(true);
    }

    static LoadingAhead start(ClassLoader loader, Pack pack) {
        LoadingAhead ahead = new LoadingAhead(loader, pack.classNames());
        if (Runtime.getRuntime().availableProcessors() > 1) {
            ahead.thread.start();
        }
        return ahead;
    }

    private void run() {
        for (String name : names) {
            if (closed) {
                return;
            }
            load(name);
        }
    }

    private void load(String name) {
        try {
            Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            // The start meets it too, if it needs that class at all, and says so.
        }
    }

    /** Ends it, now that the server runs; returns when its thread has. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
