package io.cairn.server.wiring.lifecycle;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data folder, held by this process alone through a lock on its file {@code cairn.lock}. */
public final class DataFolder implements AutoCloseable {

    /**
     * The folders of this process. The system drops all its locks on a file when any descriptor of it is closed, so a second server
     * must not open the file.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private static final Logger log = LoggerFactory.getLogger(DataFolder.class);

    private final Path path;
    private final Path held;
    private final FileChannel channel;
    private final FileLock lock;

    private DataFolder(Path path, Path held, FileChannel channel, FileLock lock) {
        this.path = path;
        this.held = held;
        this.channel = channel;
        this.lock = lock;
    }

    /** @throws CairnException {@code UNAVAILABLE} when the folder is not writable, or another server has it */
    public static DataFolder lock(Path path) {
        try {
            Files.createDirectories(path);
            keepToOwner(path);
            Path real = path.toRealPath();
            if (!HELD.add(real)) {
                throw inUse(path, Long.toString(ProcessHandle.current().pid()));
            }
            try {
                return lock(path, real);
            } catch (IOException | RuntimeException e) {
                HELD.remove(real);
                throw e;
            }
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "Data folder " + path + " cannot be used: " + FileTrouble.of(e)
                            + "; or set cairn.data-dir to another one",
                    e);
        }
    }

    /** It has password hashes, and configurations with secrets. */
    private static void keepToOwner(Path path) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
            if (permissions.retainAll(PosixFilePermissions.fromString("rwx------"))) {
                Files.setPosixFilePermissions(path, permissions);
            }
        } catch (IOException e) {
            log.warn("Data folder {} stays open to other users of this machine, for it is not ours: {}", path, e);
        }
    }

    private static DataFolder lock(Path path, Path real) throws IOException {
        Path file = path.resolve("cairn.lock");
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            throw inUse(path, Files.readString(file).trim());
        }
        channel.truncate(0);
        channel.write(
                ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
        return new DataFolder(path, real, channel, lock);
    }

    private static CairnException inUse(Path path, String holder) {
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "Data folder " + path + " is in use by another Cairn"
                        + (holder.isEmpty() ? "" : " (process " + holder + ")")
                        + "; stop that one, or give this one its own cairn.data-dir");
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        lock.release();
        channel.close();
        HELD.remove(held);
    }
}
