package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A body that is written to a file with a few pieces in memory: reads from the client start on demand and are limited by
 * the disk. Input after the response is discarded.
 */
final class Upload {

    private static final Logger log = LoggerFactory.getLogger(Upload.class);

    private final Executor loop;
    private final Sender sender;
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private @Nullable Path file;
    private @Nullable Executor disk;
    private @Nullable OutputStream out;
    private boolean isLast;
    private boolean isWriting;
    private boolean isAnswered;
    private boolean isAwaited;

    /** Controls the client; called on the event loop. */
    interface Sender {

        /** Permits the client to start. */
        void begin();

        void resume();

        void pause();

        /** Reports bytes written to the disk. */
        void written(int bytes);
    }

    Upload(Executor loop, Sender sender) {
        this.loop = loop;
        this.sender = sender;
        sender.pause();
    }

    /** May be called from any thread. */
    CompletableFuture<Void> into(Path target, Executor writer) {
        loop.execute(() -> {
            file = target;
            disk = writer;
            sender.begin();
            write();
        });
        return done;
    }

    /** Copies the next piece. */
    void append(ByteBuf piece, boolean last) {
        isLast |= last;
        if (isAnswered) {
            return;
        }
        if (piece.isReadable()) {
            pieces.add(ByteBufUtil.getBytes(piece));
        }
        write();
    }

    /** Writes the queued pieces on the pool; then reads more. */
    private void write() {
        Executor writer = disk;
        Path target = file;
        if (isWriting || isAnswered || writer == null || target == null || done.isDone()) {
            return;
        }
        byte[] piece = pieces.poll();
        if (piece == null && !isLast) {
            await(true);
            return;
        }
        // Bytes read before may still arrive.
        await(false);
        isWriting = true;
        try {
            writer.execute(() -> {
                Throwable failure = writeOrClose(target, piece);
                loop.execute(() -> written(piece, failure));
            });
        } catch (RejectedExecutionException e) {
            written(
                    piece,
                    new CairnException(ErrorCode.BUSY, "Too many files are being written; try again shortly", e));
        }
    }

    private void await(boolean more) {
        isAwaited = more;
        if (more) {
            sender.resume();
        } else {
            sender.pause();
        }
    }

    private @Nullable Throwable writeOrClose(Path target, byte @Nullable [] piece) {
        try {
            OutputStream open = out;
            if (open == null) {
                // Must not create the file again, because the caller may have deleted it.
                open = Files.newOutputStream(target, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
                out = open;
            }
            if (piece == null) {
                open.close();
            } else {
                open.write(piece);
            }
            return null;
        } catch (IOException e) {
            return new CairnException(
                    ErrorCode.UNAVAILABLE, target + " cannot be written: " + e.getMessage() + "; free some space", e);
        }
    }

    private void written(byte @Nullable [] piece, @Nullable Throwable failure) {
        isWriting = false;
        if (failure != null) {
            fail(failure);
            return;
        }
        if (piece != null) {
            sender.written(piece.length);
        }
        if (piece == null) {
            done.complete(null);
        } else if (done.isDone()) {
            closeFile();
        } else {
            write();
        }
    }

    /** The client has disconnected. */
    void abandon() {
        fail(new CairnException(ErrorCode.INVALID_PARAMETER, "The body ends too early"));
    }

    private void fail(Throwable failure) {
        pieces.clear();
        if (done.completeExceptionally(failure) && !isWriting) {
            closeFile();
        }
    }

    private void closeFile() {
        Executor writer = disk;
        OutputStream open = out;
        if (writer != null && open != null) {
            try {
                writer.execute(() -> {
                    try {
                        open.close();
                    } catch (IOException e) {
                        log.debug("A file that nobody wants any more could not be closed", e);
                    }
                });
            } catch (RejectedExecutionException e) {
                log.warn("A file that nobody wants any more stays open: the pool is full");
            }
        }
    }

    /** Whether the client must send more. */
    boolean isAwaited() {
        return !isLast && isAwaited;
    }

    /** The response has begun; the rest of the body is discarded. */
    void answered() {
        isAnswered = true;
        pieces.clear();
        if (!isLast) {
            await(true);
        }
    }
}
