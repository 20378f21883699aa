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
 * A folder of snapshot files, readable by its owner only. Files are replaced atomically; their modification time is the time
 * of the response. The executor writes for each file only the last pending change. Failures are logged, because a client
 * also works without snapshots.
 */
public final class SnapshotFolder {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final int LONGEST_NAME = 120;
    /** Windows reserves these names, with any extension. */
    private static final Pattern DEVICE = Pattern.compile("(con|prn|aux|nul|com[0-9]|lpt[0-9])([.].*)?");

    private final Path root;
    private final Executor writer;

    @GuardedBy("itself")
    private final Map<Path, Change> waiting = new LinkedHashMap<>();
    /** Held while a file is changed; taken before the lock of {@code waiting}. */
    private final ReentrantLock changing = new ReentrantLock();

    @GuardedBy("waiting")
    private boolean scheduled;

    @GuardedBy("waiting")
    private boolean closed;

    public SnapshotFolder(Path root, Executor writer) {
        this.root = root;
        this.writer = writer;
    }

    /** A folder name for this set of servers. */
    public static String nameOf(List<ServerAddress> servers) {
        List<String> sorted =
                servers.stream().map(ServerAddress::httpAddress).sorted().toList();
        return fileName(String.join(",", sorted));
    }

    /** A folder name for this set of address servers, which stays when their lists change. */
    public static String nameOfUrls(List<URI> addressServers) {
        return fileName(addressServers.stream().map(URI::toString).sorted().collect(Collectors.joining(",")));
    }

    public record Stored(byte[] bytes, Instant writtenAt) {}

    /** Null bytes delete the file. */
    private record Change(byte @Nullable [] bytes, Instant fetchedAt) {}

    /** Pending writes are executed before {@link #close} returns. */
    public void write(byte[] bytes, Instant fetchedAt, String... path) {
        change(file(path), new Change(bytes, fetchedAt));
    }

    public void delete(String... path) {
        change(file(path), new Change(null, Instant.EPOCH));
    }

    private void change(Path file, Change change) {
        synchronized (waiting) {
            if (closed) {
                return;
            }
            // At the end, so that frequent writes do not delay the other files.
            waiting.remove(file);
            waiting.put(file, change);
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        writer.execute(this::changeNext);
    }

    /** One file per task, because other tasks share the executor. */
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
        // An interrupted thread cannot write to a file channel.
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

    /** Executes pending writes on the calling thread up to this time limit; later writes are ignored. */
    public void close(Duration atMost) {
        synchronized (waiting) {
            closed = true;
        }
        boolean interrupted = Thread.interrupted();
        long deadline = System.nanoTime() + atMost.toNanos();
        try {
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

    /** A unique name that is valid in any file system. */
    static String fileName(String part) {
        StringBuilder name = new StringBuilder();
        for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain =
                    c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && !name.isEmpty();
            // Escapes capital letters, because some file systems ignore case.
            name.append(plain ? String.valueOf(c) : escape(c));
        }
        if (DEVICE.matcher(name).matches()) {
            name.replace(0, 1, escape(name.charAt(0)));
        }
        int last = name.length() - 1;
        if (last >= 0 && name.charAt(last) == '.') {
            // Windows drops a trailing dot.
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
