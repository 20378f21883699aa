package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves HTTP/2: starts each complete request, and writes each available response. The end of a stream ends its request.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes its stream, which ends the exchange
final class Http2Wire extends Http2EventAdapter implements HttpWire<Http2Exchange> {

    /** The limit of unread responses; beyond it, further requests wait. */
    private static final int MAX_UNSENT_BYTES = 8 * 1024 * 1024;
    /** The limit of unread responses that need no memory from the budget. */
    private static final int FREE_BYTES = 1024 * 1024;

    /** A head with fewer compressed bytes is small: Huffman coding shrinks a text to 5/8 at most. */
    private static final int FEW_BYTES = 8 * 1024;

    private static final int FEW_HEADERS = 32;
    /** The overhead of a header, by RFC 9113, section 6.5.2. */
    private static final int HEADER_BYTES = 32;

    private static final byte[] EMPTY = {};
    private static final Http2Headers CONTINUE = new DefaultHttp2Headers(false, 2).status("100");
    private static final Logger log = LoggerFactory.getLogger(Http2Wire.class);

    private final HttpExchanges<Http2Exchange> exchanges;
    private final HttpMemory memory;
    private final Http2HeadDecoder heads;
    private final ArrayDeque<Http2Exchange> waiting = new ArrayDeque<>(0);
    private @Nullable Http2Channel channel;
    private Http2Connection.@Nullable PropertyKey key;
    private long unsentBytes;
    private int underWay;
    /** The bytes of heads that need no memory from the budget. */
    private int freeHeadBytes;

    private boolean isFinishing;
    private boolean isReading;
    private boolean isFlushDue;
    private boolean isCheckDue;

    Http2Wire(RequestHandler handler, HttpMemory memory, ResponseCompression compression, Http2HeadDecoder heads) {
        this.exchanges = new HttpExchanges<>(handler, memory, compression, this);
        this.memory = memory;
        this.heads = heads;
    }

    @Override
    public String protocol() {
        return "HTTP/2";
    }

    void on(Http2Channel http2) {
        channel = http2;
        key = http2.connection().newKey();
    }

    HttpExchanges<Http2Exchange> exchanges() {
        return exchanges;
    }

    /** Whether the server owes no response, except for responses that the client does not read. */
    boolean isIdle() {
        return underWay == 0 || unsentBytes > 0 || !isAnyOwed();
    }

    private boolean isAnyOwed() {
        boolean[] isOwed = {false};
        forEach(exchange -> isOwed[0] |= exchange.isOwed());
        return isOwed[0];
    }

    /** Rejects new requests, and closes the connection after the last response. */
    void finish() {
        isFinishing = true;
        if (underWay == 0) {
            context().close();
            return;
        }
        int last = http2().connection().remote().lastStreamCreated();
        http2().goAway(
                        context(),
                        last,
                        Http2Error.NO_ERROR.code(),
                        Unpooled.EMPTY_BUFFER,
                        context().newPromise());
        flush();
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean endOfStream)
            throws Http2Exception {
        onHeadersRead(ctx, streamId, headers, padding, endOfStream);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean endOfStream)
            throws Http2Exception {
        Http2Stream stream = http2().connection().stream(streamId);
        Http2Exchange known = stream == null ? null : stream.getProperty(key());
        if (known != null) {
            if (!endOfStream) {
                throw Http2Exception.streamError(
                        streamId, Http2Error.PROTOCOL_ERROR, "headers in the middle of stream %d", streamId);
            }
            if (!known.isAnswered && !known.isOver) {
                end(known);
            }
            return;
        }
        CharSequence path = headers.path();
        boolean isWellFormed = headers.method() != null && headers.scheme() != null && path != null && !path.isEmpty();
        if (stream == null || path == null || !isWellFormed) {
            throw Http2Exception.streamError(
                    streamId, Http2Error.PROTOCOL_ERROR, "stream %d has no method, scheme or path", streamId);
        }
        Http2Exchange exchange = new Http2Exchange(stream, headers);
        stream.setProperty(key(), exchange);
        underWay++;
        isReading = true;
        try {
            if (admit(exchange, headers)) {
                exchanges.begin(exchange, endOfStream);
            } else {
                exchanges.refuse(exchange, 503, HttpPipeline.TOO_MANY_LARGE);
            }
        } finally {
            isReading = false;
        }
    }

    /** Trailers may end a request, too. */
    private void end(Http2Exchange exchange) {
        Upload upload = exchange.upload;
        if (upload == null) {
            complete(exchange);
        } else {
            exchanges.upload(exchange, upload, Unpooled.EMPTY_BUFFER, true);
        }
    }

    /**
     * Reserves the memory for the head until the response; false when it is not available. The first
     * {@link MemoryBudget#SMALL_BYTES} of all heads of the connection are free. Values from the dynamic table are in memory
     * only once.
     */
    private boolean admit(Http2Exchange exchange, Http2Headers headers) {
        long bytes = heads.blockBytes();
        if (bytes > FEW_BYTES || headers.size() > FEW_HEADERS) {
            bytes = 0;
            for (Map.Entry<CharSequence, CharSequence> header : headers) {
                bytes += header.getKey().length() + header.getValue().length() + HEADER_BYTES;
            }
        }
        if (bytes > MemoryBudget.SMALL_BYTES) {
            exchange.headTaken = memory.reserveHead((int) bytes);
            return exchange.headTaken > 0;
        }
        if (freeHeadBytes + bytes <= MemoryBudget.SMALL_BYTES) {
            freeHeadBytes += (int) bytes;
            exchange.headFree = (int) bytes;
            return true;
        }
        boolean isTaken = memory.requests().tryReserve(bytes);
        exchange.headTaken = isTaken ? (int) bytes : 0;
        return isTaken;
    }

    private void releaseHead(Http2Exchange exchange) {
        memory.releaseHead(exchange.headTaken);
        exchange.headTaken = 0;
        freeHeadBytes -= exchange.headFree;
        exchange.headFree = 0;
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream) {
        int processed = data.readableBytes() + padding;
        Http2Exchange exchange = exchange(streamId);
        if (exchange == null || exchange.isAnswered || exchange.isOver) {
            return processed;
        }
        Upload upload = exchange.upload;
        if (upload != null) {
            exchanges.upload(exchange, upload, data, endOfStream);
            // Bytes written to the disk open the window.
            return padding;
        }
        if (data.isReadable() && !exchanges.keep(exchange, data)) {
            return processed;
        }
        if (endOfStream) {
            complete(exchange);
        } else {
            checkBodiesLater();
        }
        return processed;
    }

    private void complete(Http2Exchange exchange) {
        isReading = true;
        try {
            exchanges.complete(exchange);
        } finally {
            isReading = false;
        }
    }

    @Override
    public void sendContinue(Http2Exchange exchange) {
        http2().encoder()
                .writeHeaders(
                        context(),
                        exchange.stream.id(),
                        CONTINUE,
                        0,
                        false,
                        context().newPromise());
    }

    @Override
    public void beginUpload(Http2Exchange exchange) {
        exchanges.beginUpload(exchange, new Http2Upload(this, exchange));
    }

    /** Opens the window of a stream by released bytes. */
    void consumed(Http2Exchange exchange, int bytes) {
        try {
            if (http2().connection().local().flowController().consumeBytes(exchange.stream, bytes)) {
                flush();
            }
        } catch (Http2Exception e) {
            log.debug("The window of stream {} cannot be opened", exchange.stream.id(), e);
            context().close();
        }
    }

    /** Schedules one task for all incomplete small bodies of the connection. */
    private void checkBodiesLater() {
        if (!isCheckDue) {
            isCheckDue = true;
            context().executor().schedule(this::checkBodies, secondsForBody(), TimeUnit.SECONDS);
        }
    }

    private int secondsForBody() {
        return memory.secondsFor(MemoryBudget.SMALL_BYTES);
    }

    private void checkBodies() {
        isCheckDue = false;
        if (!context().channel().isActive()) {
            return;
        }
        List<Http2Exchange> late = new ArrayList<>(0);
        forEach(exchange -> {
            RequestBody body = exchange.body;
            if (exchange.isComplete || exchange.isAnswered || body == null || body.isCounted()) {
                return;
            }
            if (exchange.isSlow && context().channel().config().isAutoRead()) {
                late.add(exchange);
            } else {
                exchange.isSlow = true;
                checkBodiesLater();
            }
        });
        late.forEach(exchange -> exchanges.refuseLate(exchange, secondsForBody()));
    }

    @Override
    public boolean isTurn(Http2Exchange exchange) {
        return true;
    }

    @Override
    public void startInTurn(Http2Exchange exchange) {
        if (unsentBytes > MAX_UNSENT_BYTES) {
            waiting.add(exchange);
        } else {
            exchanges.start(exchange);
        }
    }

    private void startWaiting() {
        while (!waiting.isEmpty() && unsentBytes <= MAX_UNSENT_BYTES) {
            Http2Exchange next = waiting.remove();
            if (!next.isOver) {
                exchanges.start(next);
            }
        }
    }

    /** Whether the response is large, or many responses are unread. */
    @Override
    public boolean isHeavy(int bytes) {
        return bytes > MemoryBudget.SMALL_BYTES || unsentBytes > FREE_BYTES;
    }

    @Override
    public void send(Http2Exchange exchange, HttpResponse response, @Nullable LargeAnswer held) {
        releaseHead(exchange);
        byte[] body = response.body();
        boolean isWhole = exchange.isHead() || response.stream() == null;
        boolean isHeadOnly = exchange.isHead() || isWhole && body.length == 0;
        ChannelFuture last = http2().encoder()
                .writeHeaders(
                        context(),
                        exchange.stream.id(),
                        response.http2Head(),
                        0,
                        isHeadOnly,
                        context().newPromise());
        if (isWhole && !isHeadOnly) {
            last = write(exchange, body, true);
            if (held != null) {
                last.addListener(done -> held.end());
            }
        }
        if (isWhole) {
            stopReading(exchange, last);
        }
        flush();
    }

    private ChannelFuture write(Http2Exchange exchange, byte[] bytes, boolean isLast) {
        unsentBytes += bytes.length;
        exchange.unsentBytes += bytes.length;
        SlowReaderTimeout timeout = exchanges.slowReader();
        if (timeout.isRunning()) {
            timeout.given(bytes.length);
        } else if (unsentBytes > MemoryBudget.SMALL_BYTES) {
            // All streams share a socket, and therefore the timeout.
            timeout.begin(unsentBytes);
        }
        ChannelFuture written = http2().encoder()
                .writeData(
                        context(),
                        exchange.stream.id(),
                        Unpooled.wrappedBuffer(bytes),
                        0,
                        isLast,
                        context().newPromise());
        written.addListener(done -> {
            unsentBytes -= bytes.length;
            exchange.unsentBytes -= bytes.length;
            if (unsentBytes == 0) {
                exchanges.endSlowReader();
            }
            startWaiting();
        });
        return written;
    }

    @Override
    public ChannelFuture sendPiece(Http2Exchange exchange, byte[] piece) {
        ChannelFuture written = write(exchange, piece, false);
        flush();
        return written;
    }

    @Override
    public void sendEnd(Http2Exchange exchange) {
        stopReading(exchange, write(exchange, EMPTY, true));
        flush();
    }

    /** Stops a client whose request is incomplete after the response. */
    private void stopReading(Http2Exchange exchange, ChannelFuture answered) {
        if (!exchange.isComplete) {
            answered.addListener(done -> {
                if (!exchange.isOver) {
                    reset(exchange, Http2Error.NO_ERROR);
                    flush();
                }
            });
        }
    }

    @Override
    public void cutOff(Http2Exchange exchange) {
        reset(exchange, Http2Error.INTERNAL_ERROR);
        flush();
    }

    /** Keeps the connection for other streams. */
    @Override
    public void cutOffUnread() {
        List<Http2Exchange> unread = new ArrayList<>();
        forEach(exchange -> {
            if (exchange.unsentBytes > 0) {
                unread.add(exchange);
            }
        });
        unread.forEach(exchange -> reset(exchange, Http2Error.ENHANCE_YOUR_CALM));
        if (unread.isEmpty()) {
            // The rest is in the socket's buffer.
            context().close();
        } else {
            flush();
        }
    }

    private void reset(Http2Exchange exchange, Http2Error error) {
        http2().resetStream(
                        context(), exchange.stream.id(), error.code(), context().newPromise());
    }

    /** Flushes once after a read, and otherwise once per turn of the loop. */
    void flush() {
        if (!isReading && !isFlushDue) {
            isFlushDue = true;
            context().channel().eventLoop().execute(() -> {
                isFlushDue = false;
                http2().flush(context());
            });
        }
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        Http2Exchange exchange = stream.removeProperty(key());
        if (exchange == null) {
            return;
        }
        underWay--;
        if (!exchange.isAnswered) {
            waiting.remove(exchange);
        }
        releaseHead(exchange);
        exchanges.end(exchange);
        if (isFinishing && underWay == 0) {
            // Must not run while a stream is being closed.
            context().channel().eventLoop().execute(() -> context().close());
        }
    }

    private void forEach(Consumer<Http2Exchange> action) {
        try {
            http2().connection().forEachActiveStream(stream -> {
                Http2Exchange exchange = stream.getProperty(key());
                if (exchange != null) {
                    action.accept(exchange);
                }
                return true;
            });
        } catch (Http2Exception e) {
            throw new IllegalStateException("The streams of a connection cannot be visited", e);
        }
    }

    private @Nullable Http2Exchange exchange(int streamId) {
        Http2Stream stream = http2().connection().stream(streamId);
        return stream == null ? null : stream.getProperty(key());
    }

    private Http2Connection.PropertyKey key() {
        return Objects.requireNonNull(key);
    }

    private Http2Channel http2() {
        return Objects.requireNonNull(channel);
    }

    private ChannelHandlerContext context() {
        return exchanges.context();
    }
}
