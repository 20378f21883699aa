package io.cairn.server.http2;

import io.cairn.api.wire.Framed;
import io.cairn.server.compress.SharedCompression;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stream of HTTP/2 (RFC 9113, section 5) with its call. {@link #answer} may be called on any thread. */
final class ServerStream implements Call, MessageReader.Sink {

    /** The limit of queued output while {@link #isReady} is true. */
    private static final int READY_BYTES = 32 * 1024;

    /** Smaller heads are not counted. */
    private static final int FEW_BYTES = 256;

    private static final Logger log = LoggerFactory.getLogger(ServerStream.class);

    private final Http2Connection connection;
    private final Outbound out;
    private final int id;
    private final MessageReader messages;
    private final @Nullable SharedCompression compression;
    private final RequestHead head;
    private Call.@Nullable Listener listener;
    private @Nullable ArrayDeque<Framed> unsent;
    private long unsentBytes;
    private int sentOfFirst;
    private byte @Nullable [] trailers;
    private MessageMemory.@Nullable Lease lease;
    private MessageMemory.@Nullable Lease headLease;
    /** The bytes of messages that the call keeps until the client's end. */
    private long unendedBytes;

    private int sendWindow;
    /** The missing bytes of the announced length; negative without an announcement. */
    private int missingBytes;

    private int receiveWindow = Http2Connection.WINDOW_BYTES;
    private boolean waiting;
    private boolean awaitsReady;
    private boolean hasHead;
    private boolean remoteEnded;
    private boolean finished;
    private boolean closed;

    ServerStream(
            Http2Connection connection,
            Outbound out,
            int id,
            int sendWindow,
            MessageReader messages,
            @Nullable SharedCompression compression,
            RequestHead head) {
        this.connection = connection;
        this.out = out;
        this.id = id;
        this.sendWindow = sendWindow;
        this.messages = messages;
        this.compression = compression;
        this.head = head;
        this.missingBytes = head.announcedBytes();
    }

    int id() {
        return id;
    }

    boolean hasRemoteEnded() {
        return remoteEnded;
    }

    /** Reserves the memory for the kept part of the head; false when it is not available. */
    boolean admitsHead() {
        int bytes = head.keptBytes();
        if (bytes <= FEW_BYTES) {
            return true;
        }
        headLease = connection.memory().reserve(bytes);
        return headLease != null;
    }

    void start(Call.Handler handler) {
        listener = handler.start(this);
    }

    /** Whether the data match the announced length (section 8.1.1). */
    boolean admits(int length, boolean end) {
        if (missingBytes < 0) {
            return true;
        }
        if (length > missingBytes) {
            return false;
        }
        missingBytes -= length;
        return !end || missingBytes == 0;
    }

    /** Receives data; false when they exceed the window (section 6.9.1). */
    boolean receive(ByteBuf buffer, int offset, int length, int charged, boolean end) {
        receiveWindow -= charged;
        if (receiveWindow < 0) {
            return false;
        }
        if (!finished) {
            messages.read(buffer, offset, length, this);
        }
        if (end) {
            remoteEnd();
            return true;
        }
        if (unendedBytes > 0 && lease == null && !finished) {
            lease(unendedBytes);
        }
        if (receiveWindow < Http2Connection.WINDOW_BYTES / 2 && !closed) {
            out.windowUpdate(id, Http2Connection.WINDOW_BYTES - receiveWindow);
            receiveWindow = Http2Connection.WINDOW_BYTES;
        }
        return true;
    }

    void remoteEnd() {
        if (closed) {
            return;
        }
        remoteEnded = true;
        if (finished) {
            return;
        }
        release();
        if (messages.isWithinMessage()) {
            onUnreadable(GrpcStatus.INTERNAL, "the call ended within a message");
        } else if (listener != null) {
            listener.onHalfClose();
        }
    }

    @Override
    public boolean onBegun(int length) {
        release();
        return lease(unendedBytes + length);
    }

    /** Reserves the memory until the request is complete; rejects the call and returns false when it is not available. */
    private boolean lease(long bytes) {
        lease = connection.memory().reserve(bytes, out.channel(), this::late);
        if (lease == null) {
            onUnreadable(GrpcStatus.RESOURCE_EXHAUSTED, MessageMemory.NO_ROOM);
        }
        return lease != null;
    }

    private void late(int seconds) {
        onUnreadable(
                GrpcStatus.RESOURCE_EXHAUSTED,
                "the message and the end of the call did not come within " + seconds + " seconds");
    }

    private void release() {
        MessageMemory.Lease present = lease;
        if (present != null) {
            lease = null;
            present.close();
        }
    }

    private void releaseHead() {
        MessageMemory.Lease present = headLease;
        if (present != null) {
            headLease = null;
            present.close();
        }
    }

    boolean awaitsAnswer() {
        Call.Listener present = listener;
        return !finished && present != null && present.awaitsHalfClose();
    }

    private void stopReading() {
        release();
        messages.close();
    }

    @Override
    public boolean onMessage(byte[] message) {
        release();
        Call.Listener present = listener;
        if (present != null) {
            present.onMessage(message);
            if (present.awaitsHalfClose()) {
                unendedBytes += message.length;
            }
        }
        return !finished;
    }

    @Override
    public boolean onOversized(String why) {
        release();
        if (listener != null) {
            listener.onUnreadable(why);
        }
        return !finished;
    }

    @Override
    public void onUnreadable(GrpcStatus status, String why) {
        if (!finished) {
            Call.Listener told = listener;
            listener = null;
            finish(status, why);
            if (told != null) {
                told.onCancel();
            }
        }
    }

    /** The client has reset the stream, or the connection has ended. */
    void cancel() {
        if (closed) {
            return;
        }
        closed = true;
        finished = true;
        stopReading();
        releaseHead();
        unsent = null;
        unsentBytes = 0;
        Call.Listener told = listener;
        listener = null;
        if (told != null) {
            told.onCancel();
        }
    }

    @Override
    public Channel channel() {
        return out.channel();
    }

    @Override
    public String userAgent() {
        return head.userAgent();
    }

    @Override
    public Credentials credentials() {
        return head.credentials();
    }

    @Override
    public boolean isReady() {
        if (finished) {
            return false;
        }
        if (unsentBytes < READY_BYTES && out.isWritable()) {
            return true;
        }
        if (!awaitsReady) {
            awaitsReady = true;
            out.awaitReady(this);
        }
        return false;
    }

    /** Notifies the call when it is ready again; false when it is not ready yet. */
    boolean becomesReady() {
        if (!finished && (unsentBytes >= READY_BYTES || !out.isWritable())) {
            return false;
        }
        awaitsReady = false;
        if (!finished && listener != null) {
            listener.onReady();
        }
        return true;
    }

    @Override
    public void sendHeaders() {
        // Later messages may be compressed; each has its own flag.
        sendHead(compression != null);
    }

    private void sendHead(boolean gzip) {
        if (!finished && !hasHead) {
            hasHead = true;
            out.head(id, gzip);
        }
    }

    /** The form of the message for this client; null during its compression. */
    private @Nullable Framed form(Framed message) {
        SharedCompression present = compression;
        if (present == null || !isCompressible(message)) {
            return message;
        }
        CompletableFuture<Framed> compressed = message.compressed(present);
        return compressed.isDone() ? compressed.join() : null;
    }

    private boolean isCompressible(Framed message) {
        return compression != null && !message.isCompressed() && SharedCompression.isLarge(message.encodedLength());
    }

    @Override
    public void send(Framed message) {
        if (finished) {
            return;
        }
        sendHead(isCompressible(message));
        Framed form = form(message);
        if (form == null) {
            keep(message);
            resumeWhenCompressed(message);
            return;
        }
        int framed = MessageReader.PREFIX_BYTES + form.encodedLength();
        if (unsent == null && framed <= sendWindow && out.takes(framed)) {
            sendWindow -= framed;
            out.message(id, form);
        } else {
            keep(form);
        }
    }

    private void resumeWhenCompressed(Framed message) {
        SharedCompression present = compression;
        if (present == null) {
            return;
        }
        CompletableFuture<Framed> compressed = message.compressed(present);
        compressed.thenRun(() -> {
            try {
                out.channel().eventLoop().execute(this::resume);
            } catch (RejectedExecutionException e) {
                log.debug("The event loop of {} has ended, and the connection with it", out.channel(), e);
            }
        });
    }

    private void resume() {
        if (unsent != null && !closed) {
            await();
            out.sendWaiting();
        }
    }

    /** Queues a message. Its compressed form replaces it in its turn, and later messages wait. */
    private void keep(Framed message) {
        if (unsent == null) {
            unsent = new ArrayDeque<>(2);
        }
        unsent.add(message);
        unsentBytes += MessageReader.PREFIX_BYTES + message.encodedLength();
        await();
        out.sendWaiting();
    }

    private void await() {
        if (!waiting) {
            waiting = true;
            out.await(this);
        }
    }

    @Override
    public void finish(GrpcStatus status, @Nullable String why) {
        if (finished) {
            return;
        }
        finished = true;
        stopReading();
        trailers = hasHead ? HeaderBlocks.trailers(status, why) : HeaderBlocks.trailersOnly(status, why);
        if (unsent == null) {
            end(false);
        }
    }

    @Override
    public void answer(Framed message) {
        if (out.channel().eventLoop().inEventLoop()) {
            answerInLoop(message);
        } else {
            out.channel().eventLoop().execute(() -> answerInLoop(message));
        }
    }

    private void answerInLoop(Framed message) {
        if (finished) {
            return;
        }
        Framed form = form(message);
        int framed = MessageReader.PREFIX_BYTES + (form == null ? message : form).encodedLength();
        if (form != null && !hasHead && framed <= sendWindow && out.takes(framed)) {
            finished = true;
            stopReading();
            out.answer(id, form);
            close(false);
        } else {
            send(message);
            finish();
        }
    }

    /** Rejects the call with this header block only. */
    void refuse(byte[] block, boolean hasEnded) {
        remoteEnded = hasEnded;
        finished = true;
        trailers = block;
        end(false);
    }

    /** Sends one frame as far as the windows allow; returns whether another can be sent. */
    boolean sendSome() {
        waiting = false;
        ArrayDeque<Framed> kept = unsent;
        if (kept == null || closed) {
            return false;
        }
        Framed first = sentOfFirst > 0 ? kept.getFirst() : formOfFirst(kept);
        if (first == null) {
            return false;
        }
        int left = MessageReader.PREFIX_BYTES + first.encodedLength() - sentOfFirst;
        int bytes = Math.min(Math.min(left, sendWindow), out.room());
        if (bytes <= 0) {
            if (sendWindow > 0) {
                // The connection's window is exhausted; this stream is the next when it opens.
                waiting = true;
            }
            return false;
        }
        out.part(id, first, sentOfFirst, bytes);
        sendWindow -= bytes;
        unsentBytes -= bytes;
        sentOfFirst += bytes;
        if (bytes == left) {
            kept.removeFirst();
            sentOfFirst = 0;
            if (kept.isEmpty()) {
                unsent = null;
                if (finished) {
                    end(true);
                }
                return false;
            }
        }
        return true;
    }

    /** The form of the next message; null during its compression. */
    private @Nullable Framed formOfFirst(ArrayDeque<Framed> kept) {
        Framed first = kept.getFirst();
        Framed form = form(first);
        if (form != null && form.isCompressed() && !first.isCompressed()) {
            kept.removeFirst();
            kept.addFirst(form);
            unsentBytes += form.encodedLength() - first.encodedLength();
        }
        return form;
    }

    /** Whether the stream keeps its place in the queue of the connection. */
    boolean isWaiting() {
        return waiting;
    }

    /** Changes the window by the client's setting; false when it exceeds the limit of RFC 9113. */
    boolean widen(int bytes) {
        long wider = (long) sendWindow + bytes;
        if (wider > Integer.MAX_VALUE) {
            return false;
        }
        sendWindow = (int) wider;
        if (unsent != null && sendWindow > 0) {
            await();
        }
        return true;
    }

    void markWaiting() {
        waiting = true;
    }

    private void end(boolean wasKept) {
        byte[] block = trailers;
        if (block == null || closed) {
            return;
        }
        out.end(id, block, wasKept ? this::complete : null);
        close(wasKept);
    }

    private void close(boolean completesLater) {
        closed = true;
        releaseHead();
        connection.ended(this);
        if (!completesLater) {
            complete();
        }
    }

    private void complete() {
        Call.Listener told = listener;
        listener = null;
        if (told != null) {
            told.onComplete();
        }
    }
}
