package io.cairn.server.http;

import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.tls.CertifiedUser;
import io.cairn.server.tls.ServerTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one HTTP/2 connection: collects each body up to a limit, hands requests to their handler as they are
 * complete, and writes each answer when it comes. A stream that ends before takes its request with it. Runs on the
 * connection's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes its stream, which ends the exchange
final class Http2Exchanges extends Http2EventAdapter {

    /** Answers that wait to be read; with more of them, further requests wait. */
    private static final int MAX_UNSENT_BYTES = 8 * 1024 * 1024;
    /** Parts of small bodies that are kept without taking from the memory budget, of all streams together. */
    private static final int FREE_BYTES = 1024 * 1024;

    /** Up to both of these, a head is taken for a small one without counting. */
    private static final int FEW_BYTES = 8 * 1024;

    private static final int FEW_HEADERS = 32;
    /** The size of each header beside its name and value, by RFC 9113, section 6.5.2. */
    private static final int HEADER_BYTES = 32;

    private static final byte[] EMPTY = {};
    private static final Http2Headers CONTINUE = new DefaultHttp2Headers(false, 2).status("100");
    private static final Logger log = LoggerFactory.getLogger(Http2Exchanges.class);

    private final RequestHandler handler;
    private final HttpMemory memory;
    private final ResponseCompression compression;
    private final String remoteIp;
    private final ArrayDeque<Exchange> waiting = new ArrayDeque<>(0);
    private @Nullable Http2Channel channel;
    private Http2Connection.@Nullable PropertyKey exchanges;
    private long unsentBytes;
    private int freeBytes;
    private int underWay;
    private @Nullable ChannelHandlerContext finishing;
    private @Nullable CertifiedUser certified;
    private @Nullable AddressLoad load;
    private boolean isIdentified;
    private boolean isReading;
    private boolean isFlushDue;
    private boolean isLookDue;
    /** How quickly the client takes the answers of all streams together, which share one line. */
    private final SlowReaderTimeout pace;

    Http2Exchanges(RequestHandler handler, HttpMemory memory, ResponseCompression compression, String remoteIp) {
        this.handler = handler;
        this.memory = memory;
        this.compression = compression;
        this.remoteIp = remoteIp;
        this.pace = memory.pace();
    }

    /** One request. */
    private static final class Exchange {

        private final int streamId;
        private @Nullable Http2Headers head;
        private @Nullable RequestBody body;
        private @Nullable HttpRequest request;
        private @Nullable HttpBody streaming;
        private @Nullable Upload upload;
        /** Bytes of the answer that the client has not taken. */
        private long unsentBytes;
        /** Bytes that were taken from the memory budget for its head. */
        private int headTaken;

        private boolean isAnswered;
        private boolean isOver;
        /** Whether its body was under way already when somebody looked. */
        private boolean isSlow;

        Exchange(int streamId) {
            this.streamId = streamId;
        }

        /** Whether it is the server's turn. */
        boolean isOwed() {
            Upload coming = upload;
            return request != null && (coming == null || !coming.isAwaited());
        }
    }

    void on(Http2Channel http2) {
        channel = http2;
        exchanges = http2.connection().newKey();
    }

    String remoteIp() {
        return remoteIp;
    }

    /** Whether no answer is owed, except one that is ready and that the client does not read. */
    boolean isIdle() {
        return underWay == 0 || unsentBytes > 0 || !isAnyOwed();
    }

    private boolean isAnyOwed() {
        try {
            return http2().connection().forEachActiveStream(stream -> {
                        Exchange exchange = stream.getProperty(key());
                        return exchange == null || !exchange.isOwed();
                    })
                    != null;
        } catch (Http2Exception e) {
            throw new IllegalStateException("looking at streams fails", e);
        }
    }

    /** Takes no more requests, and closes the connection when those that are under way have been answered. */
    void finish(ChannelHandlerContext ctx) {
        finishing = ctx;
        if (underWay == 0) {
            ctx.close();
            return;
        }
        int last = http2().connection().remote().lastStreamCreated();
        http2().goAway(ctx, last, Http2Error.NO_ERROR.code(), Unpooled.EMPTY_BUFFER, ctx.newPromise());
        flush(ctx);
    }

    // --- what comes in

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
        Exchange known = stream == null ? null : stream.getProperty(key());
        if (known != null) {
            if (!endOfStream) {
                throw Http2Exception.streamError(
                        streamId, Http2Error.PROTOCOL_ERROR, "headers in the middle of stream %d", streamId);
            }
            if (known.isAnswered || known.isOver) {
                return;
            }
            if (known.upload != null) {
                known.head = null;
                known.upload.take(Unpooled.EMPTY_BUFFER, true);
            } else {
                complete(ctx, known);
            }
            return;
        }
        CharSequence path = headers.path();
        CharSequence method = headers.method();
        if (stream == null || method == null || path == null || path.isEmpty()) {
            throw Http2Exception.streamError(
                    streamId, Http2Error.PROTOCOL_ERROR, "stream %d has no method or no path", streamId);
        }
        Exchange exchange = opened(stream, new Exchange(streamId));
        exchange.head = headers;
        if (!admit(exchange, headers, path)) {
            refuse(ctx, exchange, 503, HttpPipeline.TOO_MANY_LARGE);
        } else if (!endOfStream && handler.takesUpload(method.toString(), path.toString())) {
            beginUpload(ctx, exchange, stream);
        } else if (headers.getLong(HttpHeaderNames.CONTENT_LENGTH, 0) > memory.maxBodyBytes()) {
            refuseTooLarge(ctx, exchange);
        } else if (endOfStream) {
            complete(ctx, exchange);
        } else if (headers.contains(HttpHeaderNames.EXPECT, "100-continue", true)) {
            http2().encoder().writeHeaders(ctx, streamId, CONTINUE, 0, false, ctx.newPromise());
        }
    }

    /** Takes room for a head of more than {@link MemoryBudget#SMALL_BYTES}; false when there is none. */
    private boolean admit(Exchange exchange, Http2Headers headers, CharSequence path) {
        long bytes = path.length();
        if (bytes > FEW_BYTES || headers.size() > FEW_HEADERS) {
            for (Map.Entry<CharSequence, CharSequence> header : headers) {
                bytes += header.getKey().length() + header.getValue().length() + HEADER_BYTES;
            }
        }
        if (bytes > MemoryBudget.SMALL_BYTES) {
            exchange.headTaken = memory.takeHead((int) bytes);
            return exchange.headTaken > 0;
        }
        return true;
    }

    /** Its endpoint is called at once, and asks for the body when the caller may send one. */
    private void beginUpload(ChannelHandlerContext ctx, Exchange exchange, Http2Stream stream) {
        Http2Headers head = Objects.requireNonNull(exchange.head);
        Upload upload = new Upload(ctx.channel().eventLoop(), new Sending(ctx, stream, head));
        exchange.upload = upload;
        HttpRequest request = call(ctx, head, EMPTY);
        request.uploading(upload);
        exchange.request = request;
        start(ctx, exchange);
    }

    /** Opens the window of a stream by the bytes that were written to the disk. */
    private final class Sending implements Upload.Sender {

        private final ChannelHandlerContext ctx;
        private final Http2Stream stream;
        private final boolean isContinueExpected;

        Sending(ChannelHandlerContext ctx, Http2Stream stream, Http2Headers head) {
            this.ctx = ctx;
            this.stream = stream;
            this.isContinueExpected = head.contains(HttpHeaderNames.EXPECT, "100-continue", true);
        }

        @Override
        public void begin() {
            if (isContinueExpected && exchange(stream.id()) != null) {
                http2().encoder().writeHeaders(ctx, stream.id(), CONTINUE, 0, false, ctx.newPromise());
                flush(ctx);
            }
        }

        @Override
        public void goOn() {
            // The window says how much.
        }

        @Override
        public void pause() {
            // As above.
        }

        @Override
        public void written(int bytes) {
            try {
                if (exchange(stream.id()) != null
                        && http2().connection().local().flowController().consumeBytes(stream, bytes)) {
                    flush(ctx);
                }
            } catch (Http2Exception e) {
                log.debug("The window of stream {} cannot be opened", stream.id(), e);
                ctx.close();
            }
        }
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream) {
        int processed = data.readableBytes() + padding;
        Exchange exchange = exchange(streamId);
        if (exchange == null || exchange.isAnswered || exchange.isOver) {
            return processed;
        }
        Upload upload = exchange.upload;
        if (upload != null) {
            if (endOfStream) {
                exchange.head = null;
            }
            upload.take(data, endOfStream);
            return padding;
        }
        if (data.isReadable() && !keep(ctx, exchange, data)) {
            return processed;
        }
        if (endOfStream) {
            complete(ctx, exchange);
        } else {
            lookLater(ctx);
        }
        return processed;
    }

    /**
     * One task for all bodies of the connection that do not come at once and take nothing from the memory budget, and for all
     * answers that are not taken at once.
     */
    private void lookLater(ChannelHandlerContext ctx) {
        if (isLookDue) {
            return;
        }
        isLookDue = true;
        ctx.executor().schedule(() -> lookForSlow(ctx), memory.secondsFor(MemoryBudget.SMALL_BYTES), TimeUnit.SECONDS);
    }

    private void lookForSlow(ChannelHandlerContext ctx) {
        isLookDue = false;
        if (!ctx.channel().isActive()) {
            return;
        }
        judgePace(ctx);
        List<Exchange> late = new ArrayList<>(0);
        forEach(exchange -> {
            RequestBody body = exchange.body;
            if (exchange.head == null || exchange.isAnswered || body == null || body.isCounted()) {
                return;
            }
            if (exchange.isSlow && ctx.channel().config().isAutoRead()) {
                late.add(exchange);
            } else {
                exchange.isSlow = true;
                lookLater(ctx);
            }
        });
        late.forEach(exchange -> refuseLate(ctx, exchange, memory.secondsFor(MemoryBudget.SMALL_BYTES)));
    }

    private void judgePace(ChannelHandlerContext ctx) {
        long now = System.nanoTime();
        if (unsentBytes == 0) {
            return;
        }
        lookLater(ctx);
        if (!pace.isRunning()) {
            pace.begin(now);
            pace.given(unsentBytes);
        } else if (pace.isTooSlow(now)) {
            pace.end();
            endUnread(ctx);
        }
    }

    /** Others may go on over the same connection. */
    private void endUnread(ChannelHandlerContext ctx) {
        log.debug("Answers to {} end half way: they are read too slowly", remoteIp);
        List<Exchange> unread = new ArrayList<>();
        forEach(exchange -> {
            if (exchange.unsentBytes > 0) {
                unread.add(exchange);
            }
        });
        unread.forEach(exchange ->
                http2().resetStream(ctx, exchange.streamId, Http2Error.ENHANCE_YOUR_CALM.code(), ctx.newPromise()));
        if (unread.isEmpty()) {
            // All that remains is in the buffer of the socket.
            ctx.close();
        } else {
            flush(ctx);
        }
    }

    private void forEach(Consumer<Exchange> look) {
        try {
            http2().connection().forEachActiveStream(stream -> {
                Exchange exchange = stream.getProperty(key());
                if (exchange != null) {
                    look.accept(exchange);
                }
                return true;
            });
        } catch (Http2Exception e) {
            throw new IllegalStateException("looking at streams fails", e);
        }
    }

    private boolean keep(ChannelHandlerContext ctx, Exchange exchange, ByteBuf data) {
        RequestBody body = exchange.body;
        if (body == null) {
            body = new RequestBody(memory);
            exchange.body = body;
        }
        int free = body.isCounted() ? 0 : body.size();
        long announced = Objects.requireNonNull(exchange.head).getLong(HttpHeaderNames.CONTENT_LENGTH, -1);
        RequestBody.Outcome outcome =
                body.add(ctx.alloc(), data, announced, freeBytes + data.readableBytes() <= FREE_BYTES);
        freeBytes += (body.isCounted() ? 0 : body.size()) - free;
        switch (outcome) {
            case TOO_LARGE -> refuseTooLarge(ctx, exchange);
            case NO_MEMORY -> refuse(ctx, exchange, 503, HttpPipeline.TOO_MANY_LARGE);
            case KEPT -> {
                body.expire(ctx.channel().eventLoop(), seconds -> refuseLate(ctx, exchange, seconds));
                return true;
            }
        }
        return false;
    }

    private void complete(ChannelHandlerContext ctx, Exchange exchange) {
        Http2Headers head = Objects.requireNonNull(exchange.head);
        RequestBody body = exchange.body;
        byte[] bytes = EMPTY;
        if (body != null) {
            if (!body.isCounted()) {
                freeBytes -= body.size();
            }
            bytes = body.bytes();
        }
        exchange.head = null;
        HttpRequest request = call(ctx, head, bytes);
        if (body != null) {
            request.keptIn(body);
        }
        exchange.request = request;
        isReading = true;
        try {
            startOrWait(ctx, exchange);
        } finally {
            isReading = false;
        }
    }

    private HttpRequest call(ChannelHandlerContext ctx, Http2Headers head, byte[] bytes) {
        HttpRequest request = HttpRequest.to(
                Objects.requireNonNull(head.method()).toString(),
                Objects.requireNonNull(head.path()).toString(),
                name -> header(head, name),
                bytes,
                remoteIp,
                ctx.channel().eventLoop());
        if (!isIdentified) {
            isIdentified = true;
            certified = ServerTls.userOf(ctx.channel());
            load = ConnectionAdmission.loadOf(ctx.channel());
        }
        request.certified(certified);
        request.from(load);
        return request;
    }

    /** Names are in lower case in HTTP/2; the host has a field of its own, and cookies may be in several. */
    private static @Nullable String header(Http2Headers head, String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        CharSequence value = head.get(lower);
        if (value == null) {
            value = lower.equals("host") ? head.authority() : null;
        } else if (lower.equals("cookie")) {
            value = String.join("; ", head.getAll(lower));
        }
        return value == null ? null : value.toString();
    }

    private Exchange opened(Http2Stream stream, Exchange exchange) {
        stream.setProperty(key(), exchange);
        underWay++;
        return exchange;
    }

    // --- what goes out

    private void startOrWait(ChannelHandlerContext ctx, Exchange exchange) {
        if (unsentBytes > MAX_UNSENT_BYTES) {
            waiting.add(exchange);
        } else {
            start(ctx, exchange);
        }
    }

    private void start(ChannelHandlerContext ctx, Exchange exchange) {
        CompletionStage<HttpResponse> stage = handler.route(Objects.requireNonNull(exchange.request));
        if (stage instanceof CompletableFuture<HttpResponse> future && future.isDone()) {
            answerInForm(ctx, exchange, future.join());
            return;
        }
        answerWhenDone(ctx, exchange, stage);
    }

    private void answerWhenDone(ChannelHandlerContext ctx, Exchange exchange, CompletionStage<HttpResponse> stage) {
        stage.whenComplete((response, failure) -> {
            if (ctx.channel().eventLoop().inEventLoop()) {
                answerOrClose(ctx, exchange, response, failure);
            } else {
                ctx.channel().eventLoop().execute(() -> answerOrClose(ctx, exchange, response, failure));
            }
        });
    }

    /** Outside of the pipeline nobody else sees to it that a connection ends on which no answer can be sent. */
    private void answerOrClose(
            ChannelHandlerContext ctx, Exchange exchange, HttpResponse response, @Nullable Throwable failure) {
        if (failure != null) {
            // Not even a failure could be put into words.
            closeOnDefect(ctx, failure);
            return;
        }
        try {
            answerInForm(ctx, exchange, response);
        } catch (RuntimeException | Error e) {
            closeOnDefect(ctx, e);
        }
    }

    private void answerInForm(ChannelHandlerContext ctx, Exchange exchange, HttpResponse response) {
        if (!ResponseCompression.hasForms(response)) {
            answer(ctx, exchange, response);
            return;
        }
        CompletableFuture<HttpResponse> form = compression.choose(exchange.request, response);
        if (form.isDone()) {
            answer(ctx, exchange, form.join());
        } else {
            // A form has no other forms, so it comes back here once.
            answerWhenDone(ctx, exchange, form);
        }
    }

    private void closeOnDefect(ChannelHandlerContext ctx, Throwable defect) {
        log.error("HTTP/2 connection from {} closed on a defect of the server", remoteIp, defect);
        ctx.close();
    }

    private void answer(ChannelHandlerContext ctx, Exchange exchange, HttpResponse response) {
        HttpBody stream = response.stream();
        if (exchange.isOver) {
            // The client has gone meanwhile, or does not want it any more.
            if (stream != null) {
                stream.close();
            }
            return;
        }
        HttpRequest request = exchange.request;
        boolean withoutBody = request != null && request.method().equals("HEAD");
        byte[] body = response.body();
        boolean isHeld = request != null && !withoutBody && isHeavy(body.length);
        if (request != null && isHeld && !response.hold(memory.answers())) {
            exchange.request = null;
            answer(ctx, exchange, handler.unreadable(request, 503, memory.tooManyUnread(response)));
            return;
        }
        exchange.isAnswered = true;
        Upload upload = exchange.upload;
        if (upload != null) {
            upload.answered();
        }
        giveBack(exchange);
        // Where the stream ends in writing the head, it ends this, too.
        exchange.streaming = stream;
        boolean ends = withoutBody || stream == null && body.length == 0;
        ChannelFuture head =
                http2().encoder().writeHeaders(ctx, exchange.streamId, response.http2Head(), 0, ends, ctx.newPromise());
        if (ends) {
            if (stream != null) {
                exchange.streaming = null;
                stream.close();
            }
            stopReading(ctx, exchange, head);
        } else if (stream == null) {
            ChannelFuture written = write(ctx, exchange, body, true);
            if (isHeld) {
                written.addListener(done -> response.release(memory.answers()));
            }
            stopReading(ctx, exchange, written);
        } else {
            sendNext(ctx, exchange, stream);
        }
        flush(ctx);
    }

    /** Whether an answer of that length takes from the memory budget: a large one, or one that waits behind many. */
    private boolean isHeavy(int bytes) {
        return bytes > MemoryBudget.SMALL_BYTES || unsentBytes > FREE_BYTES;
    }

    private ChannelFuture write(ChannelHandlerContext ctx, Exchange exchange, byte[] bytes, boolean last) {
        unsentBytes += bytes.length;
        exchange.unsentBytes += bytes.length;
        pace.given(bytes.length);
        if (unsentBytes > MemoryBudget.SMALL_BYTES) {
            lookLater(ctx);
        }
        ChannelFuture written = http2().encoder()
                .writeData(ctx, exchange.streamId, Unpooled.wrappedBuffer(bytes), 0, last, ctx.newPromise());
        written.addListener(done -> {
            unsentBytes -= bytes.length;
            exchange.unsentBytes -= bytes.length;
            if (unsentBytes == 0) {
                pace.end();
            }
            startWaiting(ctx);
        });
        return written;
    }

    private void startWaiting(ChannelHandlerContext ctx) {
        while (!waiting.isEmpty() && unsentBytes <= MAX_UNSENT_BYTES) {
            Exchange next = waiting.remove();
            if (!next.isOver) {
                start(ctx, next);
            }
        }
    }

    /** One piece after the other, each when the one before it has left. */
    private void sendNext(ChannelHandlerContext ctx, Exchange exchange, HttpBody stream) {
        stream.next()
                .whenComplete((piece, failure) ->
                        ctx.channel().eventLoop().execute(() -> send(ctx, exchange, stream, piece, failure)));
    }

    private void send(
            ChannelHandlerContext ctx,
            Exchange exchange,
            HttpBody stream,
            byte @Nullable [] piece,
            @Nullable Throwable failure) {
        if (exchange.isOver) {
            return;
        }
        if (failure != null) {
            log.warn("An answer to {} ends half way", remoteIp, failure);
            http2().resetStream(ctx, exchange.streamId, Http2Error.INTERNAL_ERROR.code(), ctx.newPromise());
        } else if (piece == null) {
            stopReading(ctx, exchange, write(ctx, exchange, EMPTY, true));
        } else {
            write(ctx, exchange, piece, false).addListener(written -> {
                if (written.isSuccess()) {
                    sendNext(ctx, exchange, stream);
                }
            });
        }
        flush(ctx);
    }

    /** Lets a client stop sending when the answer has come before its request was complete. */
    private void stopReading(ChannelHandlerContext ctx, Exchange exchange, ChannelFuture answered) {
        if (exchange.head != null) {
            answered.addListener(done -> {
                if (!exchange.isOver) {
                    http2().resetStream(ctx, exchange.streamId, Http2Error.NO_ERROR.code(), ctx.newPromise());
                    flush(ctx);
                }
            });
        }
    }

    private void refuseTooLarge(ChannelHandlerContext ctx, Exchange exchange) {
        refuse(ctx, exchange, 413, "The body is larger than " + memory.maxBodyBytes() + " bytes");
    }

    private void refuseLate(ChannelHandlerContext ctx, Exchange exchange, int seconds) {
        if (!exchange.isOver && !exchange.isAnswered) {
            refuse(ctx, exchange, 408, "The body did not come within " + seconds + " seconds");
        }
    }

    private void refuse(ChannelHandlerContext ctx, Exchange exchange, int status, String message) {
        CharSequence path = exchange.head == null ? null : exchange.head.path();
        HttpRequest request = HttpRequest.to(
                "GET",
                path == null ? "" : path.toString(),
                name -> null,
                EMPTY,
                remoteIp,
                ctx.channel().eventLoop());
        answer(ctx, exchange, handler.unreadable(request, status, message));
    }

    /** Sends answers together: those that are made while frames are read after the last frame, all others in one task. */
    private void flush(ChannelHandlerContext ctx) {
        if (!isReading && !isFlushDue) {
            isFlushDue = true;
            ctx.channel().eventLoop().execute(() -> {
                isFlushDue = false;
                http2().flush(ctx);
            });
        }
    }

    // --- the end of a stream

    @Override
    public void onStreamClosed(Http2Stream stream) {
        Exchange exchange = stream.removeProperty(key());
        if (exchange == null) {
            return;
        }
        underWay--;
        exchange.isOver = true;
        giveBack(exchange);
        HttpBody streaming = exchange.streaming;
        if (streaming != null) {
            streaming.close();
        }
        HttpRequest request = exchange.request;
        Upload upload = exchange.upload;
        if (upload != null) {
            upload.abandon();
        }
        if (!exchange.isAnswered && request != null) {
            waiting.remove(exchange);
            request.abandon();
        }
        ChannelHandlerContext ending = finishing;
        if (ending != null && underWay == 0) {
            // Not in the middle of closing a stream.
            ending.channel().eventLoop().execute(ending::close);
        }
    }

    private void giveBack(Exchange exchange) {
        memory.releaseHead(exchange.headTaken);
        exchange.headTaken = 0;
        RequestBody body = exchange.body;
        if (body != null) {
            if (exchange.head != null && !body.isCounted()) {
                freeBytes -= body.size();
            }
            exchange.body = null;
            body.giveBack();
        }
    }

    private @Nullable Exchange exchange(int streamId) {
        Http2Stream stream = http2().connection().stream(streamId);
        return stream == null ? null : stream.getProperty(key());
    }

    private Http2Connection.PropertyKey key() {
        return Objects.requireNonNull(exchanges);
    }

    private Http2Channel http2() {
        return Objects.requireNonNull(channel);
    }
}
