package io.cairn.cli.migrate;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a bridge, in a file that survives a kill: each change is an appended line, and a start compacts the file.
 * Thread-safe.
 */
public final class Journal implements AutoCloseable {

    private static final String HEAD = "cairn-bridge 1 ";
    private static final String BRIDGE = "b";
    private static final String NAMESPACES = "n";
    private static final String INTENT = "i";
    private static final String CONFIG = "c";
    private static final String CONFIG_GONE = "-c";
    private static final String PERSISTENT = "p";
    private static final String PERSISTENT_GONE = "-p";

    private final Map<ConfigKey, Carried> configs = new LinkedHashMap<>();
    private final Set<ConfigKey> intended = new LinkedHashSet<>();
    private final Set<String> persistent = new LinkedHashSet<>();
    private String bridge = UUID.randomUUID().toString();
    private Set<Namespace> namespaces = Set.of();
    /** No channel, which an interrupt would close. */
    private final @Nullable FileOutputStream file;

    private final @Nullable FileChannel lock;

    private Journal(@Nullable FileOutputStream file, @Nullable FileChannel lock) {
        this.file = file;
        this.lock = lock;
    }

    public static Journal inMemory() {
        return new Journal(null, null);
    }

    public static Journal readOnly(Path path, String pair) throws IOException {
        Journal journal = inMemory();
        journal.load(path, pair);
        return journal;
    }

    public static Journal open(Path path, String pair) throws IOException {
        Path target = path.toAbsolutePath();
        FileChannel lock = FileChannel.open(
                target.resolveSibling(target.getFileName() + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        try {
            if (!isLocked(lock)) {
                throw new IOException(
                        "another bridge uses the journal " + path + " (end it, or name another by --journal)");
            }
            Journal read = readOnly(target, pair);
            Path compact = target.resolveSibling(target.getFileName() + ".part");
            FileOutputStream file = new FileOutputStream(compact.toFile());
            Journal journal = new Journal(file, lock);
            journal.append(HEAD + encode(pair));
            journal.bridge = read.bridge;
            journal.append(BRIDGE + ' ' + encode(read.bridge));
            journal.putNamespaces(read.namespaces);
            read.configs.forEach(journal::put);
            read.intended.forEach(journal::intend);
            read.persistent.forEach(journal::putPersistent);
            journal.force();
            Files.move(compact, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return journal;
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static boolean isLocked(FileChannel lock) throws IOException {
        try {
            FileLock held = lock.tryLock();
            return held != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private void load(Path path, String pair) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        String text = Files.readString(path);
        List<String> lines = text.lines().toList();
        String head = lines.isEmpty() ? "" : lines.get(0);
        if (!head.equals(HEAD + encode(pair))) {
            throw new IOException(path + " is the journal of other servers, or no journal (expected: one of " + pair
                    + "; name another by --journal)");
        }
        // A line without its end was torn by a kill.
        int whole = text.endsWith("\n") ? lines.size() : lines.size() - 1;
        for (String line : lines.subList(1, Math.max(1, whole))) {
            take(path, line);
        }
    }

    private void take(Path path, String line) throws IOException {
        String[] fields = line.split(" ", -1);
        try {
            switch (fields[0]) {
                case CONFIG -> {
                    configs.put(
                            key(fields),
                            new Carried(
                                    new ConfigVersion(fields[4], fields[5]),
                                    new ConfigVersion(fields[6], fields[7]),
                                    fields[8].equals("1")));
                    intended.remove(key(fields));
                }
                case BRIDGE -> bridge = decode(fields[1]);
                case NAMESPACES -> {
                    Set<Namespace> named = new LinkedHashSet<>();
                    for (String namespace : List.of(fields).subList(1, fields.length)) {
                        named.add(Namespace.ofNullable(decode(namespace)));
                    }
                    namespaces = named;
                }
                case INTENT -> intended.add(key(fields));
                case CONFIG_GONE -> configs.remove(key(fields));
                case PERSISTENT -> persistent.add(decode(fields[1]));
                case PERSISTENT_GONE -> persistent.remove(decode(fields[1]));
                default ->
                    throw new IOException(path + ": unknown line '" + line + "' (expected: a journal of this version)");
            }
        } catch (ArrayIndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IOException(
                    path + ": damaged line '" + line + "' (delete the file to compare everything anew)", e);
        }
    }

    private static ConfigKey key(String[] fields) {
        return new ConfigKey(Namespace.ofNullable(decode(fields[1])), decode(fields[2]), decode(fields[3]));
    }

    private static String keyOf(ConfigKey key) {
        return encode(key.namespace().id()) + ' ' + encode(key.group()) + ' ' + encode(key.dataId());
    }

    public synchronized String bridge() {
        return bridge;
    }

    /** The namespaces that the bridge has connected last. */
    public synchronized Set<Namespace> namespaces() {
        return namespaces;
    }

    public synchronized void putNamespaces(Collection<Namespace> connected) {
        Set<Namespace> now = Collections.unmodifiableSet(new LinkedHashSet<>(connected));
        if (!now.equals(namespaces)) {
            namespaces = now;
            append(NAMESPACES
                    + ' '
                    + now.stream().map(each -> encode(each.id())).collect(Collectors.joining(" ")));
        }
    }

    public synchronized @Nullable Carried find(ConfigKey key) {
        return configs.get(key);
    }

    public synchronized Set<ConfigKey> keys(Namespace namespace) {
        Set<ConfigKey> found = new LinkedHashSet<>();
        for (ConfigKey key : configs.keySet()) {
            if (key.namespace().equals(namespace)) {
                found.add(key);
            }
        }
        return found;
    }

    /** Notes a creation before the write, so that a kill between the write and {@link #put} does not make it the work of others. */
    public synchronized void intend(ConfigKey key) {
        if (intended.add(key)) {
            append(INTENT + ' ' + keyOf(key));
        }
    }

    public synchronized boolean isIntended(ConfigKey key) {
        return intended.contains(key);
    }

    public synchronized void put(ConfigKey key, Carried carried) {
        intended.remove(key);
        if (carried.equals(configs.put(key, carried))) {
            return;
        }
        append(CONFIG
                + ' '
                + keyOf(key)
                + ' '
                + carried.source().md5()
                + ' '
                + carried.source().attributes()
                + ' '
                + carried.target().md5()
                + ' '
                + carried.target().attributes()
                + ' '
                + (carried.byBridge() ? '1' : '0'));
    }

    public synchronized void remove(ConfigKey key) {
        if (configs.remove(key) != null) {
            append(CONFIG_GONE + ' ' + keyOf(key));
        }
    }

    public synchronized void putPersistent(String instance) {
        if (persistent.add(instance)) {
            append(PERSISTENT + ' ' + encode(instance));
        }
    }

    public synchronized void removePersistent(String instance) {
        if (persistent.remove(instance)) {
            append(PERSISTENT_GONE + ' ' + encode(instance));
        }
    }

    public synchronized Set<String> persistent() {
        return Set.copyOf(persistent);
    }

    /** Survives a loss of power. */
    public void force() {
        try {
            if (file != null) {
                file.getFD().sync();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void append(String line) {
        if (file == null) {
            return;
        }
        try {
            file.write((line + '\n').getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("the journal cannot be written: " + e.getMessage(), e);
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                force();
                file.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            unlock();
        }
    }

    private void unlock() {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
