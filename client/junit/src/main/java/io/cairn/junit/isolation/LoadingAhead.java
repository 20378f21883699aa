package io.cairn.junit.isolation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Loads the classes that a first start will ask for on a thread of its own, in the order in which one asked for them: most
 * of such a start is reading classes, on one of several processors. It only saves time: whatever it cannot load, the start
 * loads, or fails to, by itself.
 */
final class LoadingAhead implements AutoCloseable {

    private final ClassLoader loader;
    private final Thread thread;
    private volatile boolean closed;

    private LoadingAhead(ClassLoader loader) {
        this.loader = loader;
        this.thread = new Thread(this::run, "cairn-junit-ahead");
        thread.setDaemon(true);
    }

    static LoadingAhead start(ClassLoader loader) {
        LoadingAhead ahead = new LoadingAhead(loader);
        if (Runtime.getRuntime().availableProcessors() > 1) {
            ahead.thread.start();
        }
        return ahead;
    }

    private void run() {
        try (InputStream in = LoadingAhead.class.getClassLoader().getResourceAsStream(ServerJars.CLASSES)) {
            if (in == null) {
                // Only while the list itself is being recorded.
                return;
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String name = lines.readLine(); name != null && !closed; name = lines.readLine()) {
                load(name);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The list of classes in this jar cannot be read", e);
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
