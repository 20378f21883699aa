package io.cairn.client.connection;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * A folder of files that outlive the process, readable by its owner alone. Files are replaced as a whole; their
 * modification time is that of the answer they hold. Writing happens on the executor, and what fails is logged: a client
 * without snapshots is still a client. Thread-safe.
 */
public final class SnapshotFolder {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final int LONGEST_NAME = 120;

    private final Path root;
    private final Executor writer;

    public SnapshotFolder(Path root, Executor writer) {
        this.root = root;
        this.writer = writer;
    }

    /** A file's bytes, and when they were new. */
    public record Stored(byte[] bytes, Instant writtenAt) {}

    /** Stores the bytes under that path, sooner or later. */
    public void write(byte[] bytes, Instant fetchedAt, String... path) {
        writer.execute(() -> {
            try {
                Path file = file(path);
                Path folder = folder(path);
                createFolder(folder);
                Path fresh = Files.createTempFile(folder, ".new", "", ownerOnly("rw-------"));
                try {
                    Files.write(fresh, bytes);
                    Files.setLastModifiedTime(fresh, FileTime.from(fetchedAt));
                    Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(fresh);
                }
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "A snapshot cannot be written below " + root + ": " + e);
            }
        });
    }

    /** Removes what is stored under that path, sooner or later. */
    public void delete(String... path) {
        writer.execute(() -> {
            try {
                Files.deleteIfExists(file(path));
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "A snapshot cannot be deleted below " + root + ": " + e);
            }
        });
    }

    /** What is stored under that path. */
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
            name.append(plain ? String.valueOf(c) : String.format("%%%02x", (int) c));
        }
        if (name.length() > LONGEST_NAME) {
            String digest = io.cairn.api.config.ContentDigest.of(part).toString();
            return name.substring(0, LONGEST_NAME) + '~' + digest;
        }
        return name.toString();
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
