package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the requests of one connection, independent of its protocol: collects bodies up to a limit, calls the handler,
 * selects the form of the response and sends it. {@link HttpWire} contains the protocol-specific part.
 */
final class HttpExchanges<E extends HttpExchange> {

    /** The limit of small bodies that need no memory from the budget, over all requests. */
    private static final int FREE_BYTES = 1024 * 1024;

    /** The pause before the next request for a piece that is not available yet. */
    private static final int AGAIN_MILLIS = 50;

    private static final byte[] EMPTY = {};
    private static final Logger log = LoggerFactory.getLogger(HttpExchanges.class);

    private final RequestHandler handler;
    private final HttpMemory memory;
    private final ResponseCompression compression;
    private final HttpWire<E> wire;
    private @Nullable ChannelHandlerContext opened;
    private @Nullable RequestSource source;
    private @Nullable SlowReaderTimeout slowReader;
    private String remoteIp = "";
    private int freeBytes;

    HttpExchanges(RequestHandler handler, HttpMemory memory, ResponseCompression compression, HttpWire<E> wire) {
        this.handler = handler;
        this.memory = memory;
        this.compression = compression;
        this.wire = wire;
    }

    /** Called once, first. */
    void open(ChannelHandlerContext context) {
        opened = context;
        remoteIp = HttpPipeline.remoteIp(context.channel());
    }

    String remoteIp() {
        return remoteIp;
    }

    /** Created by the first large response over HTTP/1.1, or the first body over HTTP/2. */
    SlowReaderTimeout slowReader() {
        SlowReaderTimeout known = slowReader;
        if (known == null) {
            known = memory.slowReaderTimeout(context().executor(), this::cutOffUnread);
            slowReader = known;
        }
        return known;
    }

    void endSlowReader() {
        if (slowReader != null) {
            slowReader.end();
        }
    }

    private void cutOffUnread() {
        if (context().channel().isActive()) {
            log.debug("Responses to {} end half way: the client reads them too slowly", remoteIp);
            wire.cutOffUnread();
        }
    }

    /**
     * Continues after the head of a request.
     *
     * @param isWhole whether the request has no body; false when unknown
     */
    void begin(E exchange, boolean isWhole) {
        if (!isWhole && handler.takesUpload(exchange.method(), exchange.target())) {
            wire.beginUpload(exchange);
        } else if (exchange.announcedBytes() > memory.maxBodyBytes()) {
            refuseTooLarge(exchange);
        } else if (isWhole) {
            complete(exchange);
        } else if (exchange.isContinueExpected()) {
            wire.sendContinue(exchange);
        }
    }

    /** Calls the endpoint of an upload at once; the endpoint then requests the body. */
    void beginUpload(E exchange, Upload.Sender sender) {
        Upload upload = new Upload(context().channel().eventLoop(), sender);
        exchange.upload = upload;
        HttpRequest request = request(exchange, EMPTY);
        request.uploading(upload);
        exchange.request = request;
        wire.startInTurn(exchange);
    }

    void upload(E exchange, Upload upload, ByteBuf part, boolean isLast) {
        exchange.isComplete |= isLast;
        upload.append(part, isLast);
    }

    /** Adds a part of a body; rejects the request and returns false when its memory is not available. */
    boolean keep(E exchange, ByteBuf part) {
        RequestBody body = exchange.body;
        if (body == null) {
            body = new RequestBody(memory);
            exchange.body = body;
        }
        boolean isFree = freeBytes + part.readableBytes() <= FREE_BYTES;
        int before = freeBytes(body);
        RequestBody.Outcome outcome = body.add(context().alloc(), part, exchange.announcedBytes(), isFree);
        freeBytes += freeBytes(body) - before;
        switch (outcome) {
            case TOO_LARGE -> refuseTooLarge(exchange);
            case NO_MEMORY -> refuse(exchange, 503, HttpPipeline.TOO_MANY_LARGE);
            case KEPT -> {
                body.expire(context().channel().eventLoop(), seconds -> refuseLate(exchange, seconds));
                return true;
            }
        }
        return false;
    }

    private static int freeBytes(RequestBody body) {
        return body.isCounted() ? 0 : body.size();
    }

    /** Rejects the request when its body is late, also a small body. */
    void expire(E exchange, RequestBody body) {
        body.expireAll(context().channel().eventLoop(), seconds -> refuseLate(exchange, seconds));
    }

    void complete(E exchange) {
        exchange.isComplete = true;
        RequestBody body = exchange.body;
        HttpRequest request;
        if (body == null) {
            request = request(exchange, EMPTY);
        } else {
            freeBytes -= freeBytes(body);
            request = request(exchange, body.bytes());
            request.keptIn(body);
        }
        exchange.request = request;
        wire.startInTurn(exchange);
    }

    private HttpRequest request(E exchange, byte[] bytes) {
        RequestSource from = source;
        if (from == null) {
            from = RequestSource.of(context().channel(), remoteIp, memory.answers());
            source = from;
        }
        return HttpRequest.from(from, exchange.method(), exchange.target(), exchange, bytes);
    }

    void start(E exchange) {
        CompletionStage<HttpResponse> stage = handler.route(Objects.requireNonNull(exchange.request));
        if (stage instanceof CompletableFuture<HttpResponse> future && future.isDone()) {
            answerInForm(exchange, future.join());
            return;
        }
        answerWhenDone(exchange, stage);
    }

    private void answerWhenDone(E exchange, CompletionStage<HttpResponse> stage) {
        stage.whenComplete((response, failure) -> {
            if (context().channel().eventLoop().inEventLoop()) {
                answerOrClose(exchange, response, failure);
            } else {
                context().channel().eventLoop().execute(() -> answerOrClose(exchange, response, failure));
            }
        });
    }

    /** Outside the pipeline, no other code closes a connection after a failure. */
    private void answerOrClose(E exchange, HttpResponse response, @Nullable Throwable failure) {
        if (failure != null) {
            // The handler could not create a response for the failure.
            releaseLease(exchange);
            fail(failure);
            return;
        }
        try {
            answerInForm(exchange, response);
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void answerInForm(E exchange, HttpResponse response) {
        if (!ResponseCompression.hasForms(response)) {
            answer(exchange, response);
            return;
        }
        MemoryBudget budget = memory.answers().budget();
        boolean isHeavy = wire.isHeavy(response.body().length);
        if (isHeavy && !response.hold(budget)) {
            refuseUnread(exchange, response);
            return;
        }
        CompletableFuture<HttpResponse> form = compression.choose(exchange.request, response);
        if (form.isDone()) {
            if (isHeavy) {
                response.release(budget);
            }
            answer(exchange, form.join());
            return;
        }
        // The selected form has no further forms. It counts as memory until then.
        answerWhenDone(exchange, isHeavy ? form.whenComplete((compressed, failure) -> response.release(budget)) : form);
    }

    private void answer(E exchange, HttpResponse response) {
        HttpBody stream = response.stream();
        if (stream == null) {
            // Counted as a large response from here on; a streamed body releases its memory itself.
            releaseLease(exchange);
        }
        if (exchange.isOver) {
            if (stream != null) {
                stream.close();
            }
            return;
        }
        int bytes = response.body().length;
        if (bytes == 0 || exchange.isHead() || !wire.isHeavy(bytes)) {
            send(exchange, response, null);
            return;
        }
        LargeAnswer held = LargeAnswer.of(response, memory.answers().budget());
        if (held == null) {
            refuseUnread(exchange, response);
        } else {
            send(exchange, response, held);
        }
    }

    private void refuseUnread(E exchange, HttpResponse refused) {
        releaseLease(exchange);
        if (!exchange.isOver) {
            HttpRequest request = Objects.requireNonNull(exchange.request);
            String text = memory.answers().refusal(refused.body().length);
            send(exchange, handler.unreadable(request, 503, text), null);
        }
    }

    private void releaseLease(E exchange) {
        HttpRequest request = exchange.request;
        if (request != null) {
            request.releaseLease();
        }
    }

    private void send(E exchange, HttpResponse response, @Nullable LargeAnswer held) {
        exchange.isAnswered = true;
        release(exchange);
        Upload upload = exchange.upload;
        if (upload != null) {
            upload.answered();
        }
        HttpBody stream = response.stream();
        // If the connection breaks during the write, the end of the exchange closes the body.
        exchange.streaming = stream;
        wire.send(exchange, response, held);
        if (stream == null || exchange.isOver) {
            return;
        }
        if (exchange.isHead()) {
            endStream(exchange);
        } else {
            sendNext(exchange, stream);
        }
    }

    /** Sends each piece after the former one was written. */
    private void sendNext(E exchange, HttpBody stream) {
        if (exchange.isOver) {
            return;
        }
        stream.next()
                .whenComplete((piece, failure) ->
                        context().channel().eventLoop().execute(() -> sendOrEnd(exchange, stream, piece, failure)));
    }

    private void sendOrEnd(E exchange, HttpBody stream, byte @Nullable [] piece, @Nullable Throwable failure) {
        if (exchange.isOver) {
            return;
        }
        if (failure != null) {
            log.warn("An answer to {} ends half way", remoteIp, failure);
            wire.cutOff(exchange);
        } else if (piece == null) {
            endStream(exchange);
            wire.sendEnd(exchange);
        } else if (piece.length == 0) {
            context()
                    .channel()
                    .eventLoop()
                    .schedule(() -> sendNext(exchange, stream), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            wire.sendPiece(exchange, piece).addListener(written -> {
                if (written.isSuccess()) {
                    sendNext(exchange, stream);
                }
            });
        }
    }

    private static void endStream(HttpExchange exchange) {
        HttpBody stream = exchange.streaming;
        if (stream != null) {
            exchange.streaming = null;
            stream.close();
        }
    }

    /** Responds without calling the handler. */
    void refuse(E exchange, int status, String message) {
        if (!wire.isTurn(exchange)) {
            // The client would assign the response to another request.
            wire.cutOff(exchange);
            return;
        }
        RequestSource unknown =
                RequestSource.unknown(remoteIp, context().channel().eventLoop(), memory.answers());
        HttpRequest unread = HttpRequest.from(unknown, "GET", exchange.target(), name -> null, EMPTY);
        send(exchange, handler.unreadable(unread, status, message), null);
    }

    private void refuseTooLarge(E exchange) {
        refuse(exchange, 413, "The body is larger than " + memory.maxBodyBytes() + " bytes");
    }

    void refuseLate(E exchange, int seconds) {
        if (!exchange.isOver && !exchange.isAnswered) {
            refuse(exchange, 408, "The body did not come within " + seconds + " seconds");
        }
    }

    /** May be called again. */
    void end(E exchange) {
        if (exchange.isOver) {
            return;
        }
        exchange.isOver = true;
        release(exchange);
        endStream(exchange);
        Upload upload = exchange.upload;
        if (upload != null) {
            upload.abandon();
        }
        HttpRequest request = exchange.request;
        if (!exchange.isAnswered && request != null) {
            request.abandon();
        }
    }

    private void release(E exchange) {
        RequestBody body = exchange.body;
        if (body != null) {
            exchange.body = null;
            if (!exchange.isComplete) {
                freeBytes -= freeBytes(body);
            }
            body.release();
        }
    }

    void fail(Throwable cause) {
        logFailure(cause, cause instanceof IOException || cause.getCause() instanceof SSLException);
        context().close();
    }

    void logFailure(Throwable cause, boolean isOfClient) {
        if (isOfClient) {
            log.debug("{} connection from {} broke: {}", wire.protocol(), remoteIp, cause.getMessage());
        } else if (cause instanceof OutOfMemoryError) {
            // A stack trace would show the last allocation, not the clients that use the memory.
            log.warn(
                    "{} connection from {} closed: its clients have taken all memory for network buffers ({}); give the server a larger"
                            + " heap, or lower cairn.limits.connections-per-address",
                    wire.protocol(),
                    remoteIp,
                    cause.getMessage());
        } else {
            log.warn("{} connection from {} closed on a defect of the server", wire.protocol(), remoteIp, cause);
        }
    }

    ChannelHandlerContext context() {
        return Objects.requireNonNull(opened);
    }
}
