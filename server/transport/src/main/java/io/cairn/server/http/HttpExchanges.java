package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one connection, whatever its protocol: collects each body up to a limit, calls the handler, chooses the form
 * of the response and sends it. Everything that differs between HTTP/1.1 and HTTP/2 is in the {@link HttpWire}. Runs on the event
 * loop of the connection.
 */
final class HttpExchanges<E extends HttpExchange> {

    /** Parts of small bodies that are kept without taking from the memory budget, of all requests together. */
    private static final int FREE_BYTES = 1024 * 1024;

    private static final byte[] EMPTY = {};
    private static final Logger log = LoggerFactory.getLogger(HttpExchanges.class);

    private final RequestHandler handler;
    private final HttpMemory memory;
    private final ResponseCompression compression;
    private final HttpWire<E> wire;
    private @Nullable ChannelHandlerContext opened;
    private @Nullable RequestSource source;
    private @Nullable AnswerPace pace;
    private String remoteIp = "";
    private int freeBytes;

    HttpExchanges(RequestHandler handler, HttpMemory memory, ResponseCompression compression, HttpWire<E> wire) {
        this.handler = handler;
        this.memory = memory;
        this.compression = compression;
        this.wire = wire;
    }

    /** Called once, before everything else. */
    void open(ChannelHandlerContext context) {
        opened = context;
        remoteIp = HttpPipeline.remoteIp(context.channel());
    }

    String remoteIp() {
        return remoteIp;
    }

    /** Made when it is first needed: over HTTP/1.1 by a large response, over HTTP/2 by the first body. */
    AnswerPace pace() {
        AnswerPace known = pace;
        if (known == null) {
            known = new AnswerPace(memory, context().executor(), this::cutOffUnread);
            pace = known;
        }
        return known;
    }

    void endPace() {
        if (pace != null) {
            pace.end();
        }
    }

    private void cutOffUnread() {
        if (context().channel().isActive()) {
            log.debug("Responses to {} end half way: the client reads them too slowly", remoteIp);
            wire.cutOffUnread();
        }
    }

    /**
     * Goes on after the head of a request.
     *
     * @param isWhole whether the request has no body; false where that is not known yet
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

    /** Calls the endpoint of an upload at once; it asks for the body when the caller may send one. */
    void beginUpload(E exchange, Upload.Sender sender) {
        Upload upload = new Upload(context().channel().eventLoop(), sender);
        exchange.upload = upload;
        HttpRequest request = request(exchange, EMPTY);
        request.uploading(upload);
        exchange.request = request;
        wire.startInTurn(exchange);
    }

    /** Passes on a part of the body of an upload. */
    void upload(E exchange, Upload upload, ByteBuf part, boolean isLast) {
        exchange.isComplete |= isLast;
        upload.take(part, isLast);
    }

    /** Keeps a part of a body; where there is no room for it, refuses the request and returns false. */
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

    /** Refuses the request unless its body comes in time, also where it takes nothing from the memory budget. */
    void expire(E exchange, RequestBody body) {
        body.expireAll(context().channel().eventLoop(), seconds -> refuseLate(exchange, seconds));
    }

    /** The whole request has come. */
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
            from = RequestSource.of(context().channel(), remoteIp);
            source = from;
        }
        return HttpRequest.from(from, exchange.method(), exchange.target(), exchange, bytes);
    }

    /** Calls the handler. */
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

    /** Outside of the pipeline nothing else closes a connection on which no response can be sent. */
    private void answerOrClose(E exchange, HttpResponse response, @Nullable Throwable failure) {
        if (failure != null) {
            // The handler could not even make a response of the failure.
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
        CompletableFuture<HttpResponse> form = compression.choose(exchange.request, response);
        if (form.isDone()) {
            answer(exchange, form.join());
        } else {
            // A form has no other forms, so it comes back here once.
            answerWhenDone(exchange, form);
        }
    }

    private void answer(E exchange, HttpResponse response) {
        if (exchange.isOver) {
            HttpBody stream = response.stream();
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
        LargeAnswer held = LargeAnswer.of(response, memory.answers());
        if (held == null) {
            HttpRequest request = Objects.requireNonNull(exchange.request);
            send(exchange, handler.unreadable(request, 503, memory.tooManyUnread(response)), null);
        } else {
            send(exchange, response, held);
        }
    }

    private void send(E exchange, HttpResponse response, @Nullable LargeAnswer held) {
        exchange.isAnswered = true;
        giveBack(exchange);
        Upload upload = exchange.upload;
        if (upload != null) {
            upload.answered();
        }
        HttpBody stream = response.stream();
        // If the connection breaks while the head is written, the end of the exchange closes it.
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

    /** Sends one piece after the other, each when the one before it has left. */
    private void sendNext(E exchange, HttpBody stream) {
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

    /** Answers a request instead of its handler. */
    void refuse(E exchange, int status, String message) {
        if (!wire.isTurn(exchange)) {
            // The client would take a response for that of another request.
            wire.cutOff(exchange);
            return;
        }
        RequestSource unknown = new RequestSource(remoteIp, context().channel().eventLoop(), null, null);
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

    /** The client has gone, or wants no response to this request any more. May be called again. */
    void end(E exchange) {
        if (exchange.isOver) {
            return;
        }
        exchange.isOver = true;
        giveBack(exchange);
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

    private void giveBack(E exchange) {
        RequestBody body = exchange.body;
        if (body != null) {
            exchange.body = null;
            if (!exchange.isComplete) {
                freeBytes -= freeBytes(body);
            }
            body.giveBack();
        }
    }

    /** Closes the connection after a failure. */
    void fail(Throwable cause) {
        logFailure(cause, cause instanceof IOException || cause.getCause() instanceof SSLException);
        context().close();
    }

    void logFailure(Throwable cause, boolean isOfClient) {
        if (isOfClient) {
            log.debug("{} connection from {} broke: {}", wire.protocol(), remoteIp, cause.getMessage());
        } else {
            log.warn("{} connection from {} closed on a defect of the server", wire.protocol(), remoteIp, cause);
        }
    }

    ChannelHandlerContext context() {
        return Objects.requireNonNull(opened);
    }
}
