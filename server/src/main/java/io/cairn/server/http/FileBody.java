package io.cairn.server.http;

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

/** A file as a body. */
public final class FileBody implements HttpBody {

    private static final int PIECE_BYTES = 128 * 1024;

    private final Path path;
    private final long length;
    private final Executor reader;
    private final Runnable onClose;
    private @Nullable InputStream in;
    private boolean closed;

    /**
     * @param reader a bounded pool on which it is read
     * @param onClose called when the file is no longer needed
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
        try {
            return CompletableFuture.supplyAsync(this::read, reader);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new CairnException(ErrorCode.BUSY, "Too many files are being read; try again shortly", e));
        }
    }

    private synchronized byte @Nullable [] read() {
        if (closed) {
            return null;
        }
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
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try (InputStream open = in) {
                onClose.run();
            } catch (IOException e) {
                throw new CairnException(ErrorCode.INTERNAL, path + " cannot be closed: " + e.getMessage(), e);
            }
        }
    }
}
