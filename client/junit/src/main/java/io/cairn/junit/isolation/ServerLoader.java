package io.cairn.junit.isolation;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Loads the server's classes; sees the JDK and the server's jars, and nothing of the class path. Thread-safe. */
final class ServerLoader extends URLClassLoader {

    static {
        registerAsParallelCapable();
    }

    private final Queue<String> loaded = new ConcurrentLinkedQueue<>();
    private volatile boolean noting;

    ServerLoader(URL[] jars) {
        super("cairn-server", jars, ClassLoader.getPlatformClassLoader());
    }

    /** From now on remembers which classes it loads. */
    void noteClasses() {
        noting = true;
    }

    /** The names of the classes that it loaded since {@link #noteClasses}, in their order. */
    Queue<String> loaded() {
        return loaded;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        Class<?> found = super.findClass(name);
        if (noting) {
            loaded.add(name);
        }
        return found;
    }
}
