package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A folder of files that outlive the process, readable by its owner alone. Files are replaced as a whole; their
 * modification time is that of the answer they hold. Writing happens on the executor: of several writes of one file that
 * wait, the last one is done. What fails is logged: a client without snapshots is still a client. Thread-safe.
 */
public final class SnapshotFolder {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final int LONGEST_NAME = 120;
    /** These are devices on Windows, whatever follows after a dot. */
    private static final Pattern DEVICE = Pattern.compile("(con|prn|aux|nul|com[0-9]|lpt[0-9])([.].*)?");

    private final Path root;
    private final Executor writer;
    /** The change that is due for each file. */
    @GuardedBy("itself")
    private final Map<Path, Change> waiting = new LinkedHashMap<>();
    /** Held while a file is changed, and taken before the lock of the waiting changes. */
    private final ReentrantLock changing = new ReentrantLock();

    @GuardedBy("waiting")
    private boolean scheduled;

    @GuardedBy("waiting")
    private boolean closed;

    /** @param writer runs what writes; one thing at a time is enough */
    public SnapshotFolder(Path root, Executor writer) {
        this.root = root;
        this.writer = writer;
    }

    /**
     * The name of a folder for all that these servers say, whatever their order: two clusters never share one.
     */
    public static String nameOf(List<ServerAddress> servers) {
        List<String> sorted =
                servers.stream().map(ServerAddress::httpAddress).sorted().toList();
        return fileName(String.join(",", sorted));
    }

    /** As {@link #nameOf}, for servers that address servers name: the servers may change, and what they say stays. */
    public static String nameOfUrls(List<URI> addressServers) {
        return fileName(addressServers.stream().map(URI::toString).sorted().collect(Collectors.joining(",")));
    }

    /** A file's bytes, and when they were new. */
    public record Stored(byte[] bytes, Instant writtenAt) {}

    /** The new bytes of a file; null when it is to be deleted. */
    private record Change(byte @Nullable [] bytes, Instant fetchedAt) {}

    /** Stores the bytes under that path, sooner or later; at last before {@link #close} returns. */
    public void write(byte[] bytes, Instant fetchedAt, String... path) {
        change(file(path), new Change(bytes, fetchedAt));
    }

    /** Removes what is stored under that path, sooner or later. */
    public void delete(String... path) {
        change(file(path), new Change(null, Instant.EPOCH));
    }

    private void change(Path file, Change change) {
        synchronized (waiting) {
            if (closed) {
                return;
            }
            // At the end of the order: whatever is written most often must not keep others waiting.
            waiting.remove(file);
            waiting.put(file, change);
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        writer.execute(this::changeNext);
    }

    /** One file at a time, for the executor has other things to do as well. */
    private void changeNext() {
        changeOne();
        synchronized (waiting) {
            scheduled = !waiting.isEmpty();
            if (!scheduled) {
                return;
            }
        }
        writer.execute(this::changeNext);
    }

    private boolean changeOne() {
        changing.lock();
        try {
            Path file;
            Change change;
            synchronized (waiting) {
                Iterator<Map.Entry<Path, Change>> next = waiting.entrySet().iterator();
                if (!next.hasNext()) {
                    return false;
                }
                Map.Entry<Path, Change> first = next.next();
                file = first.getKey();
                change = first.getValue();
                next.remove();
            }
            apply(file, change);
            return true;
        } finally {
            changing.unlock();
        }
    }

    private void apply(Path file, Change change) {
        // An interrupted thread cannot write; whoever closes a client may well be interrupted.
        boolean interrupted = Thread.interrupted();
        try {
            byte[] bytes = change.bytes();
            if (bytes == null) {
                Files.deleteIfExists(file);
            } else {
                replace(file, bytes, change.fetchedAt());
            }
        } catch (IOException | SecurityException e) {
            LOG.log(System.Logger.Level.WARNING, "A snapshot cannot be written below " + root + ": " + e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void replace(Path file, byte[] bytes, Instant fetchedAt) throws IOException {
        Path folder = Objects.requireNonNullElse(file.getParent(), root);
        createFolder(folder);
        Path fresh = Files.createTempFile(folder, ".new", "", ownerOnly("rw-------"));
        try {
            Files.write(fresh, bytes);
            Files.setLastModifiedTime(fresh, FileTime.from(fetchedAt));
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /** Writes what still waits, for at most that long, on the calling thread; what comes later is not written. */
    public void close(Duration atMost) {
        synchronized (waiting) {
            closed = true;
        }
        boolean interrupted = Thread.interrupted();
        long deadline = System.nanoTime() + atMost.toNanos();
        try {
            // A file that is being written is written to its end.
            while (changing.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                try {
                    if (System.nanoTime() - deadline > 0 || !changeOne()) {
                        break;
                    }
                } finally {
                    changing.unlock();
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        synchronized (waiting) {
            if (!waiting.isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, "{0} snapshots were not written in time", waiting.size());
                waiting.clear();
            }
        }
    }

    /** The bytes that are stored under that path. */
    public Optional<Stored> read(String... path) throws IOException {
        Path file = file(path);
        try {
            return Optional.of(new Stored(
                    Files.readAllBytes(file), Files.getLastModifiedTime(file).toInstant()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Path folder(String... path) {
        Path folder = root;
        for (int i = 0; i < path.length - 1; i++) {
            folder = folder.resolve(fileName(path[i]));
        }
        return folder;
    }

    private Path file(String... path) {
        return folder(path).resolve(fileName(path[path.length - 1]));
    }

    /** A name that any file system takes, and that no other part has. */
    static String fileName(String part) {
        StringBuilder name = new StringBuilder();
        for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain =
                    c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && !name.isEmpty();
            // Capitals too, for some file systems do not tell them apart.
            name.append(plain ? String.valueOf(c) : escape(c));
        }
        if (DEVICE.matcher(name).matches()) {
            name.replace(0, 1, escape(name.charAt(0)));
        }
        int last = name.length() - 1;
        if (last >= 0 && name.charAt(last) == '.') {
            // Windows drops it.
            name.replace(last, last + 1, escape('.'));
        }
        if (name.length() > LONGEST_NAME) {
            String digest = io.cairn.api.config.ContentDigest.of(part).toString();
            return name.substring(0, LONGEST_NAME) + '~' + digest;
        }
        return name.toString();
    }

    private static String escape(char c) {
        return String.format("%%%02x", (int) c);
    }

    private void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, ownerOnly("rwx------"));
        }
    }

    private FileAttribute<?>[] ownerOnly(String permissions) {
        boolean posix = root.getFileSystem().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
