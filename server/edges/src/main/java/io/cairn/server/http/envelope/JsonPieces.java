package io.cairn.server.http.envelope;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.admission.NoRoomException;
import io.cairn.server.http.HttpBody;
import io.cairn.server.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The writing of one JSON text. Up to {@value #WHOLE_BYTES} bytes are a whole body. A longer
 * text is sent in pieces as its client reads it, so it reserves the memory of a few rows. A begun response waits for memory for
 * {@value #PATIENCE_SECONDS} s at most.
 */
final class JsonPieces implements HttpBody {

    static final int WHOLE_BYTES = 1024 * 1024;

    private static final int PIECE_BYTES = 128 * 1024;
    private static final int PATIENCE_SECONDS = 30;
    private static final byte[] NOTHING = {};

    private final MemoryLease lease;
    private final Executor pool;
    private final LongSupplier nanoTime;
    private final JsonBuffer out;
    /** The remaining parts: bytes, and {@link Rows}. */
    private final ArrayDeque<Object> due = new ArrayDeque<>(2);

    private long length = UNKNOWN_LENGTH;
    /** Why the writing waits, or null. */
    private @Nullable RuntimeException waitsFor;

    private long waitingSinceNanos;
    /** Whether rows are being written or wait for it. */
    @GuardedBy("this")
    private boolean isWriting;

    @GuardedBy("this")
    private boolean isClosed;

    /**
     * @param pool a bounded pool for rows from the database, and for all rows after the first
     * @param nanoTime as {@link System#nanoTime}
     */
    JsonPieces(MemoryLease lease, Executor pool, LongSupplier nanoTime) {
        this.lease = lease;
        this.pool = pool;
        this.nanoTime = nanoTime;
        this.out = new JsonBuffer(lease);
    }

    /** The response with all or the first of the text. */
    CompletionStage<HttpResponse> begin(JsonText text, HttpResponse head) {
        RowPlaces places = new RowPlaces(out);
        text.writeTo(out, places);
        divide(places);
        if (write(WHOLE_BYTES, false)) {
            return CompletableFuture.completedFuture(response(head));
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    write(WHOLE_BYTES, true);
                    return response(head);
                },
                pool);
    }

    /** Keeps the bytes before the first rows, and queues the others. */
    private void divide(RowPlaces places) {
        if (places.all().isEmpty()) {
            return;
        }
        byte[] text = out.pollAll();
        int from = 0;
        for (RowPlaces.Place place : places.all()) {
            due.add(part(text, from, place.at()));
            due.add(place.rows());
            from = place.at();
        }
        due.add(part(text, from, text.length));
    }

    private static byte[] part(byte[] text, int from, int to) {
        byte[] part = new byte[to - from];
        System.arraycopy(text, from, part, 0, part.length);
        return part;
    }

    private HttpResponse response(HttpResponse head) {
        if (due.isEmpty() && out.size() <= WHOLE_BYTES) {
            return head.withBody(out.pollAll());
        }
        if (due.isEmpty()) {
            length = out.size();
        }
        out.mustCount();
        return head.withBody(this);
    }

    /**
     * Writes until that many bytes are ready, or the text ends.
     *
     * @return false when it would have to block and may not
     */
    private boolean write(int enough, boolean mayBlock) {
        while (!due.isEmpty() && out.size() < enough) {
            Object next = due.element();
            if (next instanceof Rows<?> rows) {
                if (!mayBlock && !rows.isReady()) {
                    return false;
                }
                if (!rows.writeNext(out)) {
                    due.remove();
                }
                out.settle();
            } else if (next instanceof byte[] text) {
                out.write(text, 0, text.length);
                due.remove();
            }
        }
        out.settle();
        return true;
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
            // The former piece was sent.
            out.settle();
            if (out.size() >= PIECE_BYTES || due.isEmpty()) {
                return CompletableFuture.completedFuture(piece());
            }
            if (waitsFor instanceof NoRoomException refused && !lease.hasRoom(refused.bytes())) {
                return waiting(refused);
            }
            isWriting = true;
        }
        try {
            return CompletableFuture.supplyAsync(this::writtenPiece, pool);
        } catch (RejectedExecutionException e) {
            // Other lists use the memory; the client has the first part of this list.
            wrote();
            return waiting(e);
        }
    }

    private byte @Nullable [] writtenPiece() {
        try {
            write(PIECE_BYTES, true);
            waitsFor = null;
            return piece();
        } catch (NoRoomException e) {
            if (out.size() > 0) {
                return piece();
            }
            waitFor(e);
            return NOTHING;
        } finally {
            wrote();
        }
    }

    private void waitFor(RuntimeException cause) {
        if (waitsFor == null) {
            waitingSinceNanos = nanoTime.getAsLong();
        }
        waitsFor = cause;
    }

    /** An empty piece; fails with the cause after the patience. */
    private CompletionStage<byte @Nullable []> waiting(RuntimeException cause) {
        waitFor(cause);
        return nanoTime.getAsLong() - waitingSinceNanos > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)
                ? CompletableFuture.failedFuture(cause)
                : CompletableFuture.completedFuture(NOTHING);
    }

    private byte @Nullable [] piece() {
        return out.size() == 0 ? null : out.poll(PIECE_BYTES);
    }

    private void wrote() {
        boolean isOver;
        synchronized (this) {
            isWriting = false;
            isOver = isClosed;
        }
        if (isOver) {
            lease.close();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            if (isWriting) {
                // The writing task releases the memory afterwards.
                return;
            }
        }
        lease.close();
    }
}
