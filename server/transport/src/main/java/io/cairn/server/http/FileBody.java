package io.cairn.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file as a body. Neither reads nor closes the file on the caller's thread. */
public final class FileBody implements HttpBody {

    private static final int PIECE_BYTES = 128 * 1024;
    private static final Logger log = LoggerFactory.getLogger(FileBody.class);

    private final Path path;
    private final long length;
    private final Executor reader;
    private final Runnable onClose;
    /** Used by one task at a time; the lock orders the tasks. */
    private @Nullable InputStream in;
    /** Whether a read is running or queued. */
    @GuardedBy("this")
    private boolean isReading;

    @GuardedBy("this")
    private boolean isClosed;

    /**
     * @param reader a bounded pool
     * @param onClose called on the pool when the file is no longer needed
     */
    public FileBody(Path path, long length, Executor reader, Runnable onClose) {
        this.path = path;
        this.length = length;
        this.reader = reader;
        this.onClose = onClose;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public CompletionStage<byte @Nullable []> next() {
        synchronized (this) {
            if (isClosed) {
                return CompletableFuture.completedFuture(null);
            }
            isReading = true;
        }
        try {
            return CompletableFuture.supplyAsync(this::nextPiece, reader);
        } catch (RejectedExecutionException e) {
            if (hasRead()) {
                release();
            }
            return CompletableFuture.failedFuture(
                    new CairnException(ErrorCode.BUSY, "Too many files are being read; try again shortly", e));
        }
    }

    private byte @Nullable [] nextPiece() {
        try {
            return read();
        } finally {
            if (hasRead()) {
                release();
            }
        }
    }

    /** Returns whether the body was closed during the read, so that the reader must release the file. */
    private synchronized boolean hasRead() {
        isReading = false;
        return isClosed;
    }

    private byte @Nullable [] read() {
        try {
            InputStream open = in;
            if (open == null) {
                open = Files.newInputStream(path);
                in = open;
            }
            byte[] piece = open.readNBytes(PIECE_BYTES);
            return piece.length == 0 ? null : piece;
        } catch (IOException e) {
            throw new CairnException(ErrorCode.UNAVAILABLE, path + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            if (isReading) {
                // The reading task releases the file.
                return;
            }
        }
        try {
            reader.execute(this::release);
        } catch (RejectedExecutionException e) {
            // The pool is full or terminated; a short wait is better than a leaked file.
            release();
        }
    }

    private void release() {
        try (InputStream open = in) {
            onClose.run();
        } catch (IOException e) {
            log.warn("{} cannot be closed; it is no longer needed", path, e);
        }
    }
}
