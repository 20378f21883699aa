package io.cairn.junit.isolation;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Loads the server's classes from the JDK and the server's jars only. Thread-safe. */
final class ServerLoader extends URLClassLoader {

    static {
        registerAsParallelCapable();
    }

    private final @Nullable Pack pack;
    private final Queue<String> loaded = new ConcurrentLinkedQueue<>();
    private final Queue<String> missed = new ConcurrentLinkedQueue<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private volatile boolean noting;

    ServerLoader(URL[] jars, Optional<Pack> pack) {
        super("cairn-server", jars, ClassLoader.getPlatformClassLoader());
        this.pack = pack.orElse(null);
    }

    Optional<Pack> pack() {
        return Optional.ofNullable(pack);
    }

    /** Starts the recording of requested classes and resources. */
    void noteAll() {
        noting = true;
    }

    /** Classes loaded since then, in order. */
    List<String> loaded() {
        return List.copyOf(loaded);
    }

    /** Classes not found since then, perhaps repeated. */
    List<String> missed() {
        return List.copyOf(missed);
    }

    /** Resources requested since then, perhaps repeated. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    /** Skips the parent loader for a class in the pack, which the JDK does not contain. */
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        Pack.ClassFile file = pack == null ? null : pack.classFile(name);
        if (file == null) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            definePackageOf(name);
            return defineClass(name, file.bytes(), file.source());
        }
    }

    private void definePackageOf(String className) {
        String name = className.substring(0, className.lastIndexOf('.'));
        if (pack == null || getDefinedPackage(name) != null) {
            return;
        }
        Pack.Attributes of = pack.attributes(name);
        if (of == null) {
            return;
        }
        try {
            definePackage(name, of.value(0), of.value(1), of.value(2), of.value(3), of.value(4), of.value(5), null);
        } catch (IllegalArgumentException e) {
            if (getDefinedPackage(name) == null) {
                throw e;
            }
            // Another thread defined it first.
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (pack != null && pack.isAbsent(name)) {
            throw new ClassNotFoundException(name);
        }
        try {
            Class<?> found = super.findClass(name);
            note(loaded, name);
            return found;
        } catch (ClassNotFoundException e) {
            note(missed, name);
            throw e;
        }
    }

    @Override
    public @Nullable URL findResource(String name) {
        note(asked, name);
        List<URL> packed = pack == null ? null : pack.resources(name);
        if (packed == null) {
            return super.findResource(name);
        }
        return packed.isEmpty() ? null : packed.get(0);
    }

    @Override
    public Enumeration<URL> findResources(String name) throws IOException {
        note(asked, name);
        List<URL> packed = pack == null ? null : pack.resources(name);
        return packed == null ? super.findResources(name) : Collections.enumeration(packed);
    }

    private void note(Queue<String> notes, String name) {
        if (noting) {
            notes.add(name);
        }
    }
}
