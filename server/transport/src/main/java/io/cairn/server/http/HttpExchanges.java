package io.cairn.server.http;

import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.admission.RequestHeadTimeout;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.tls.CertifiedUser;
import io.cairn.server.tls.ServerTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one HTTP/1.1 connection: collects each body up to a limit, hands requests to their handler one after the
 * other, and writes the answers in that order. Runs on the connection's event loop.
 */
final class HttpExchanges extends ChannelInboundHandlerAdapter {

    private static final int MAX_PIPELINED = 16;
    private static final int LINGER_SECONDS = 30;
    private static final byte[] EMPTY = {};
    /** In place of one that cannot be read. */
    private static final io.netty.handler.codec.http.HttpRequest NO_REQUEST =
            new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "");

    private static final Logger log = LoggerFactory.getLogger(HttpExchanges.class);

    private final RequestHandler handler;
    private final HttpMemory memory;
    private final ResponseCompression compression;
    /** Null when a request was refused for its length: the rest of it is not kept. */
    private @Nullable RequestDecoder decoder;

    private @Nullable RequestHeadTimeout heading;
    private String remoteIp = "";
    private @Nullable CertifiedUser certified;
    private @Nullable AddressLoad load;
    private boolean identified;

    private io.netty.handler.codec.http.@Nullable HttpRequest head;
    private @Nullable RequestBody body;
    private @Nullable ArrayDeque<Exchange> pipelined;
    private @Nullable Exchange current;
    /** The rest of the current answer. */
    private @Nullable HttpBody streaming;
    /** The same of a body that is in memory. */
    private @Nullable LargeAnswer large;
    /** How quickly the client takes either of them. */
    private @Nullable SlowReaderTimeout pace;

    private boolean isPaceDue;
    /** The one file of this connection, which ends with its answer. */
    private @Nullable Upload upload;

    private boolean working;
    private boolean discarding;
    private boolean finishing;
    private boolean endless;
    /** Whether the client of the request that comes in waits for leave to send its body. */
    private boolean continueDue;
    /** Bytes that were taken from the memory budget for a large head, until the connection ends. */
    private int headTaken;
    /** Whether the connection is closed when the rest of a refused request has come. */
    private boolean lingering;

    HttpExchanges(
            RequestHandler handler,
            HttpMemory memory,
            ResponseCompression compression,
            RequestDecoder decoder) {
        this.handler = handler;
        this.memory = memory;
        this.compression = compression;
        this.decoder = decoder;
    }

    private record Exchange(
            HttpRequest call,
            HttpVersion version,
            boolean keepAlive,
            @Nullable RequestBody body) {

        boolean isHead() {
            return call.method().equals("HEAD");
        }

        void giveBack() {
            RequestBody known = body;
            if (known != null) {
                known.giveBack();
            }
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        remoteIp = HttpPipeline.remoteIp(context.channel());
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (heading != null) {
            heading.close();
        }
        memory.releaseHead(headTaken);
        headTaken = 0;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        forgetBody();
        discarding = true;
        forgetPipelined();
        endStream();
        endLarge();
        if (upload != null) {
            upload.abandon();
        }
        Exchange unanswered = current;
        if (unanswered != null) {
            current = null;
            unanswered.giveBack();
            unanswered.call.abandon();
        }
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (discarding) {
                if (lingering && message instanceof LastHttpContent) {
                    context.close();
                }
                return;
            }
            if (message instanceof io.netty.handler.codec.http.HttpRequest request) {
                begin(context, request);
            }
            Upload coming = upload;
            if (coming != null) {
                if (message instanceof HttpContent content
                        && coming.take(content.content(), content instanceof LastHttpContent)) {
                    context.close();
                }
                return;
            }
            if (message instanceof HttpContent content && head != null && !discarding) {
                collect(context, head, content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        RequestDecoder requests = decoder;
        boolean isInHead = requests != null && requests.isInHead() && !discarding;
        if (requests != null && !discarding && requests.kept() > MemoryBudget.SMALL_BYTES) {
            admitLarge(context, head == null ? NO_REQUEST : head, isInHead ? requests.kept() : 0);
        }
        if (isInHead && !discarding) {
            RequestHeadTimeout deadline = heading;
            if (deadline == null) {
                // While another request is under way, or nothing is read, there is nobody to blame.
                deadline = new RequestHeadTimeout(
                        memory.limits().headSeconds(),
                        context.executor(),
                        () -> !isIdle() || !context.channel().config().isAutoRead(),
                        late -> refuseHead(context, late));
                heading = deadline;
            }
            deadline.begun();
        } else if (body != null && head != null && isIdle()) {
            io.netty.handler.codec.http.HttpRequest request = head;
            body.expireAll(context.channel().eventLoop(), seconds -> refuseLate(context, request, seconds));
        }
        context.fireChannelReadComplete();
    }

    private void begin(ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request) {
        if (heading != null) {
            heading.ended();
        }
        DecoderResult result = request.decoderResult();
        if (result.isFailure()) {
            refuseUnreadable(context, request, result.cause());
            return;
        }
        RequestDecoder requests = decoder;
        if (requests != null
                && requests.headBytes() > MemoryBudget.SMALL_BYTES
                && !admitLarge(context, request, requests.headBytes())) {
            return;
        }
        String coding = TransferCoding.fault(request.headers());
        if (coding != null) {
            refuse(context, request, 400, "The request cannot be read: " + coding);
            return;
        }
        if (handler.takesUpload(request.method().name(), request.uri())) {
            beginUpload(context, request);
            return;
        }
        if (HttpUtil.getContentLength(request, 0L) > memory.maxBodyBytes()) {
            refuseTooLarge(context, request);
            return;
        }
        if (HttpUtil.is100ContinueExpected(request)) {
            // Not into the middle of an answer: it has its turn like one.
            continueDue = true;
            head = request;
            work(context);
            return;
        }
        head = request;
    }

    /**
     * Takes room for a head, or for the lines between chunks, of more than {@link MemoryBudget#SMALL_BYTES}. The decoder never
     * makes its buffer smaller, so the room is given back when the connection ends, which is after the next answer.
     *
     * @param headBytes 0 when it is not about a head
     * @return false when the request was refused
     */
    private boolean admitLarge(
            ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request, int headBytes) {
        if (headBytes > memory.maxHeadBytes()) {
            refuse(context, request, 431, memory.headTooLong());
        } else if (headTaken == 0) {
            headTaken = memory.takeHead(headBytes);
            if (headTaken == 0) {
                refuse(context, request, 503, HttpPipeline.TOO_MANY_LARGE);
            }
        }
        if (discarding && decoder != null) {
            context.pipeline().remove(decoder);
            decoder = null;
        }
        return !discarding;
    }

    /** Its endpoint is called at once, and asks for the body when the caller may send one. */
    private void beginUpload(ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request) {
        // A client has the whole of an answer that goes out in pieces before the end of it is noted here.
        boolean isNext = streaming != null && !endless && (pipelined == null || pipelined.isEmpty());
        if (!isIdle() && !isNext) {
            refuse(context, request, 400, "A file is to be sent by itself");
            return;
        }
        Upload coming = new Upload(
                context.channel().eventLoop(), new Http1Upload(context, HttpUtil.is100ContinueExpected(request)));
        upload = coming;
        HttpRequest call = call(context, request, EMPTY);
        call.uploading(coming);
        Exchange exchange = new Exchange(call, request.protocolVersion(), false, null);
        if (isNext) {
            accept(context, exchange);
        } else {
            start(context, exchange);
        }
    }

    private void collect(
            ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            refuseUnreadable(context, request, content.decoderResult().cause());
            return;
        }
        ByteBuf part = content.content();
        continueDue = false;
        if (part.isReadable()) {
            RequestBody collected = body;
            if (collected == null) {
                collected = new RequestBody(memory);
                body = collected;
            }
            switch (collected.add(context.alloc(), part, HttpUtil.getContentLength(request, -1L), true)) {
                case TOO_LARGE -> {
                    refuseTooLarge(context, request);
                    return;
                }
                case NO_MEMORY -> {
                    refuse(context, request, 503, HttpPipeline.TOO_MANY_LARGE);
                    return;
                }
                case KEPT ->
                    collected.expire(context.channel().eventLoop(), seconds -> refuseLate(context, request, seconds));
            }
        }
        if (content instanceof LastHttpContent) {
            RequestBody collected = body;
            body = null;
            head = null;
            HttpRequest call = call(context, request, collected == null ? EMPTY : collected.bytes());
            if (collected != null) {
                call.keptIn(collected);
            }
            boolean isLarge = headTaken > 0;
            boolean keepAlive = !isLarge && HttpUtil.isKeepAlive(request);
            accept(context, new Exchange(call, request.protocolVersion(), keepAlive, collected));
        }
    }

    private boolean isIdle() {
        return current == null && (pipelined == null || pipelined.isEmpty());
    }

    private HttpRequest call(
            ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request, byte[] bytes) {
        HttpRequest call = HttpRequest.to(
                request.method().name(),
                request.uri(),
                request.headers()::get,
                bytes,
                remoteIp,
                context.channel().eventLoop());
        if (!identified) {
            identified = true;
            certified = ServerTls.userOf(context.channel());
            load = ConnectionAdmission.loadOf(context.channel());
        }
        call.certified(certified);
        call.from(load);
        return call;
    }

    private void accept(ChannelHandlerContext context, Exchange exchange) {
        ArrayDeque<Exchange> queue = pipelined;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            pipelined = queue;
        }
        queue.add(exchange);
        work(context);
        if (queue.size() >= MAX_PIPELINED) {
            // Reading goes on when the queue has been worked off.
            context.channel().config().setAutoRead(false);
        }
    }

    /** Starts what waits, as long as each is answered at once and the client reads its answers. */
    private void work(ChannelHandlerContext context) {
        if (working) {
            // An answer that came at once; the loop below goes on.
            return;
        }
        working = true;
        ArrayDeque<Exchange> queue = pipelined;
        while (queue != null && current == null && context.channel().isWritable()) {
            Exchange next = queue.poll();
            if (next == null) {
                break;
            }
            start(context, next);
        }
        working = false;
        if (continueDue && isIdle()) {
            continueDue = false;
            context.writeAndFlush(Http1Encoder.goOn(), context.voidPromise());
        }
        if (queue != null
                && queue.isEmpty()
                && upload == null
                && !context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            Exchange exchange = current;
            if (exchange != null && large != null) {
                push(context, exchange, large);
            } else {
                work(context);
            }
        }
        context.fireChannelWritabilityChanged();
    }

    private void start(ChannelHandlerContext context, Exchange exchange) {
        current = exchange;
        CompletionStage<HttpResponse> stage = handler.route(exchange.call);
        if (stage instanceof CompletableFuture<HttpResponse> future && future.isDone()) {
            answerInForm(context, exchange, future.join());
            return;
        }
        answerWhenDone(context, exchange, stage);
    }

    private void answerWhenDone(ChannelHandlerContext context, Exchange exchange, CompletionStage<HttpResponse> stage) {
        stage.whenComplete((answer, failure) -> {
            if (context.channel().eventLoop().inEventLoop()) {
                answerOrClose(context, exchange, answer, failure);
            } else {
                context.channel().eventLoop().execute(() -> answerOrClose(context, exchange, answer, failure));
            }
        });
    }

    /** Outside of the pipeline nobody else sees to it that a connection ends on which no answer can be sent. */
    private void answerOrClose(
            ChannelHandlerContext context, Exchange exchange, HttpResponse answer, @Nullable Throwable failure) {
        if (failure != null) {
            // Not even a failure could be put into words.
            exceptionCaught(context, failure);
            return;
        }
        try {
            answerInForm(context, exchange, answer);
        } catch (RuntimeException | Error e) {
            exceptionCaught(context, e);
        }
    }

    private void answerInForm(ChannelHandlerContext context, Exchange exchange, HttpResponse answer) {
        if (!ResponseCompression.hasForms(answer)) {
            answer(context, exchange, answer);
            return;
        }
        CompletableFuture<HttpResponse> form = compression.choose(exchange.call, answer);
        if (form.isDone()) {
            answer(context, exchange, form.join());
        } else {
            // A form has no other forms, so it comes back here once.
            answerWhenDone(context, exchange, form);
        }
    }

    @SuppressWarnings("ReferenceEquality") // an exchange is this one request, not one like it
    private void answer(ChannelHandlerContext context, Exchange exchange, HttpResponse answer) {
        HttpBody stream = answer.stream();
        if (current != exchange) {
            // The client has gone meanwhile.
            if (stream != null) {
                stream.close();
            }
            return;
        }
        exchange.giveBack();
        if (upload != null) {
            answerUpload(context, upload, exchange, answer);
            return;
        }
        if (answer.body().length > LargeAnswer.PIECE_BYTES && !exchange.isHead()) {
            answerLarge(context, exchange, answer);
            return;
        }
        streaming = stream;
        // Without a length, only the end of the connection tells where the answer ends.
        endless = stream != null && stream.length() == HttpBody.UNKNOWN_LENGTH;
        write(context, exchange, answer, keepsAlive(exchange));
        if (stream == null) {
            answered(context, exchange);
            return;
        }
        if (exchange.isHead()) {
            endStream();
            answered(context, exchange);
            if (!keepsAlive(exchange)) {
                closeAfterwards(context);
            }
        } else {
            if (!endless) {
                beginPace(context);
            }
            sendNext(context, exchange, stream);
        }
    }

    private void answerLarge(ChannelHandlerContext context, Exchange exchange, HttpResponse answer) {
        LargeAnswer rest = LargeAnswer.of(answer, memory.answers());
        if (rest == null) {
            write(
                    context,
                    exchange,
                    handler.unreadable(exchange.call, 503, memory.tooManyUnread(answer)),
                    keepsAlive(exchange));
            answered(context, exchange);
            return;
        }
        large = rest;
        beginPace(context).given(rest.sent());
        context.write(encoded(context, exchange, answer, keepsAlive(exchange)), context.voidPromise());
        context.flush();
        push(context, exchange, rest);
    }

    private SlowReaderTimeout beginPace(ChannelHandlerContext context) {
        SlowReaderTimeout known = pace;
        if (known == null) {
            known = memory.pace();
            pace = known;
        }
        known.begin(System.nanoTime());
        if (!isPaceDue) {
            judgePaceLater(context);
        }
        return known;
    }

    /** One task for the connection, as long as there are such answers. */
    private void judgePaceLater(ChannelHandlerContext context) {
        isPaceDue = true;
        context.executor().schedule(() -> judgePace(context), memory.patienceSeconds(), TimeUnit.SECONDS);
    }

    private void judgePace(ChannelHandlerContext context) {
        isPaceDue = false;
        SlowReaderTimeout known = pace;
        if (known == null || !known.isRunning() || !context.channel().isActive()) {
            return;
        }
        if (known.isTooSlow(System.nanoTime())) {
            log.debug("An answer to {} ends half way: it is read too slowly", remoteIp);
            context.close();
        } else {
            judgePaceLater(context);
        }
    }

    private void endPace() {
        if (pace != null) {
            pace.end();
        }
    }

    private void push(ChannelHandlerContext context, Exchange exchange, LargeAnswer rest) {
        int before = rest.sent();
        boolean isLast = rest.push(context);
        if (pace != null) {
            pace.given(rest.sent() - before);
        }
        if (isLast) {
            endLarge();
            answered(context, exchange);
            if (!keepsAlive(exchange)) {
                closeAfterwards(context);
            }
        }
    }

    private void endLarge() {
        LargeAnswer rest = large;
        large = null;
        endPace();
        if (rest != null) {
            rest.end();
        }
    }

    private static void closeAfterwards(ChannelHandlerContext context) {
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    private void answerUpload(ChannelHandlerContext context, Upload coming, Exchange exchange, HttpResponse answer) {
        current = null;
        if (coming.answered()) {
            // It says that the connection ends, and it does once the rest has come, or has not for long.
            context.writeAndFlush(encoded(context, exchange, answer, false));
            context.channel().eventLoop().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
        } else {
            discarding = true;
            write(context, exchange, answer, false);
        }
    }

    /** One piece after the other, each when the one before it has left. */
    private void sendNext(ChannelHandlerContext context, Exchange exchange, HttpBody stream) {
        if (pace != null) {
            pace.pause(System.nanoTime());
        }
        stream.next()
                .whenComplete((piece, failure) ->
                        context.channel().eventLoop().execute(() -> send(context, exchange, stream, piece, failure)));
    }

    @SuppressWarnings("ReferenceEquality") // as below
    private void send(
            ChannelHandlerContext context,
            Exchange exchange,
            HttpBody stream,
            byte @Nullable [] piece,
            @Nullable Throwable failure) {
        if (current != exchange) {
            return;
        }
        if (pace != null && piece != null) {
            pace.goOn(System.nanoTime());
            pace.given(piece.length);
        }
        if (failure != null) {
            log.warn("An answer to {} ends half way", remoteIp, failure);
            context.close();
        } else if (piece == null) {
            endStream();
            answered(context, exchange);
            if (!keepsAlive(exchange)) {
                context.close();
            }
        } else {
            context.writeAndFlush(Unpooled.wrappedBuffer(piece)).addListener(written -> {
                if (written.isSuccess()) {
                    sendNext(context, exchange, stream);
                } else {
                    context.close();
                }
            });
        }
    }

    private void endStream() {
        HttpBody stream = streaming;
        streaming = null;
        endPace();
        if (stream != null) {
            stream.close();
        }
    }

    private void answered(ChannelHandlerContext context, Exchange exchange) {
        current = null;
        if (keepsAlive(exchange)) {
            work(context);
        } else {
            // Data after a request that closes the connection is discarded.
            discarding = true;
            forgetPipelined();
        }
    }

    private boolean keepsAlive(Exchange exchange) {
        return exchange.keepAlive && !finishing && !endless;
    }

    private void forgetPipelined() {
        ArrayDeque<Exchange> queue = pipelined;
        if (queue != null) {
            queue.forEach(Exchange::giveBack);
            queue.clear();
        }
    }

    private static void write(
            ChannelHandlerContext context, Exchange exchange, HttpResponse answer, boolean keepAlive) {
        ByteBuf out = encoded(context, exchange, answer, keepAlive);
        if (keepAlive || answer.stream() != null) {
            context.writeAndFlush(out, context.voidPromise());
        } else {
            context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static ByteBuf encoded(
            ChannelHandlerContext context, Exchange exchange, HttpResponse answer, boolean keepAlive) {
        return Http1Encoder.encode(context.alloc(), answer, exchange.isHead(), exchange.version, keepAlive);
    }

    private void refuseUnreadable(
            ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request, Throwable cause) {
        if (cause instanceof TooLongFrameException) {
            boolean isLine = !String.valueOf(cause.getMessage()).contains("header");
            refuse(context, request, isLine ? 414 : 431, memory.headTooLong());
        } else {
            refuse(context, request, 400, "The request cannot be read: " + cause.getMessage());
        }
    }

    private void refuseTooLarge(ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request) {
        refuse(context, request, 413, "The body is larger than " + memory.maxBodyBytes() + " bytes");
    }

    private void refuseHead(ChannelHandlerContext context, String limit) {
        if (!discarding) {
            refuse(context, NO_REQUEST, 408, limit);
        }
    }

    private void refuseLate(
            ChannelHandlerContext context, io.netty.handler.codec.http.HttpRequest request, int seconds) {
        refuse(context, request, 408, "The body did not come within " + seconds + " seconds");
    }

    /**
     * Answers and closes. Who still sends would never read it if the connection were closed at once, so the rest is read
     * and thrown away for a while.
     */
    private void refuse(
            ChannelHandlerContext context,
            io.netty.handler.codec.http.HttpRequest request,
            int status,
            String message) {
        discarding = true;
        head = null;
        continueDue = false;
        forgetBody();
        if (!isIdle()) {
            // An answer now would be taken for that of a request still under way.
            context.close();
            return;
        }
        String path = request.decoderResult().isFailure() ? "" : request.uri();
        HttpRequest call = new HttpRequest(
                "GET",
                path,
                path,
                EmptyHttpHeaders.INSTANCE,
                EMPTY,
                remoteIp,
                context.channel().eventLoop());
        Exchange exchange = new Exchange(call, HttpVersion.HTTP_1_1, false, null);
        lingering = true;
        context.writeAndFlush(encoded(context, exchange, handler.unreadable(call, status, message), false))
                .addListener(written -> HttpPipeline.endOutput(context.channel()));
        context.channel().eventLoop().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    private void forgetBody() {
        RequestBody collected = body;
        if (collected != null) {
            body = null;
            collected.giveBack();
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the event is this one object
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == HttpPipeline.FINISH) {
            finishing = true;
            if (isIdle() && head == null) {
                discarding = true;
                // The last answer may still be on its way.
                closeAfterwards(context);
            }
            return;
        }
        if (event instanceof IdleStateEvent idle
                && (current == null
                        || streaming != null && !isWaitingForEvents(context)
                        || large != null
                        || upload != null && upload.isAwaited())
                && !isFirstWhileAnswering(context, idle)) {
            // Nothing asked and nothing heard for long: a keep-alive nobody uses, or a request cut off half way.
            context.close();
        }
    }

    /** Whether its reader has all that there was to tell. */
    private boolean isWaitingForEvents(ChannelHandlerContext context) {
        ChannelOutboundBuffer unsent = context.channel().unsafe().outboundBuffer();
        return endless && unsent != null && unsent.isEmpty();
    }

    /** Only the events after the first one tell of a client that takes nothing of its answer; the first one always comes. */
    private static boolean isFirstWhileAnswering(ChannelHandlerContext context, IdleStateEvent idle) {
        return idle.isFirst() && !context.channel().isWritable();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause.getCause() instanceof SSLException) {
            log.debug("HTTP connection from {} broke: {}", remoteIp, cause.getMessage());
        } else {
            log.warn("HTTP connection from {} closed on a defect of the server", remoteIp, cause);
        }
        context.close();
    }
}
