package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The data folder, held by this process alone through a lock on its file {@code cairn.lock}. */
final class DataFolder implements AutoCloseable {

    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;

    private DataFolder(Path path, FileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    /** @throws CairnException {@code UNAVAILABLE} when the folder cannot be written or another server has it */
    static DataFolder lock(Path path) {
        Path file = path.resolve("cairn.lock");
        try {
            Files.createDirectories(path);
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                String holder = Files.readString(file).trim();
                channel.close();
                throw new CairnException(
                        ErrorCode.UNAVAILABLE,
                        "Data folder " + path + " is in use by another Cairn"
                                + (holder.isEmpty() ? "" : " (process " + holder + ")")
                                + "; stop that one, or give this one its own cairn.data-dir");
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            return new DataFolder(path, channel, lock);
        } catch (IOException e) {
            throw new CairnException(ErrorCode.UNAVAILABLE, "Data folder " + path + " cannot be used: " + e, e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Another server within this very process.
            return null;
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        lock.release();
        channel.close();
    }
}
