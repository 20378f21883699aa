package io.cairn.server.http;

import io.cairn.server.auth.CertifiedUser;
import io.cairn.server.connection.MemoryBudget;
import io.cairn.server.tls.ServerTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one HTTP/1.1 connection: collects each body up to a limit, hands requests to the router one after the
 * other, and writes the answers in that order. Runs on the connection's event loop.
 */
final class HttpExchanges extends ChannelInboundHandlerAdapter {

    private static final int MAX_PIPELINED = 16;
    private static final byte[] EMPTY = {};
    private static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");
    private static final byte[] END = ascii("\r\n");
    private static final byte[] KEEP_ALIVE_END = ascii("Connection: keep-alive\r\n\r\n");
    private static final byte[] CLOSE_END = ascii("Connection: close\r\n\r\n");
    private static final Logger log = LoggerFactory.getLogger(HttpExchanges.class);

    /** The event by which a connection is asked to end as soon as no request is under way. */
    static final Object FINISH = new Object();

    private final HttpRouter router;
    private final int maxBodyBytes;
    private final MemoryBudget budget;
    private final AtomicInteger open;
    private String remoteIp = "";
    private @Nullable CertifiedUser certified;
    private boolean identified;

    private @Nullable HttpRequest head;
    private @Nullable CompositeByteBuf body;
    private @Nullable ArrayDeque<Exchange> pipelined;
    private @Nullable Exchange current;
    /** What the current answer still has to send. */
    private @Nullable HttpBody streaming;

    private int taken;
    private boolean working;
    private boolean discarding;
    private boolean finishing;

    HttpExchanges(HttpRouter router, int maxBodyBytes, MemoryBudget budget, AtomicInteger open) {
        this.router = router;
        this.maxBodyBytes = maxBodyBytes;
        this.budget = budget;
        this.open = open;
    }

    /** @param taken bytes of the memory budget that its body has taken */
    private record Exchange(HttpCall call, HttpVersion version, boolean keepAlive, int taken) {}

    @Override
    public void channelActive(ChannelHandlerContext context) {
        open.incrementAndGet();
        if (context.channel().remoteAddress() instanceof InetSocketAddress inet) {
            remoteIp = inet.getAddress().getHostAddress();
        }
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        open.decrementAndGet();
        releaseBody();
        giveBack(taken);
        taken = 0;
        discarding = true;
        forgetPipelined();
        endStream();
        Exchange unanswered = current;
        if (unanswered != null) {
            current = null;
            giveBack(unanswered.taken);
            unanswered.call.abandon();
        }
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (discarding) {
                return;
            }
            if (message instanceof HttpRequest request) {
                begin(context, request);
            }
            if (message instanceof HttpContent content && head != null && !discarding) {
                collect(context, head, content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        DecoderResult result = request.decoderResult();
        if (result.isFailure()) {
            refuseUnreadable(context, request, result.cause());
            return;
        }
        if (HttpUtil.getContentLength(request, 0L) > maxBodyBytes) {
            refuseTooLarge(context, request);
            return;
        }
        if (HttpUtil.is100ContinueExpected(request)) {
            context.writeAndFlush(Unpooled.wrappedBuffer(CONTINUE));
        }
        head = request;
    }

    private void collect(ChannelHandlerContext context, HttpRequest request, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            refuseUnreadable(context, request, content.decoderResult().cause());
            return;
        }
        ByteBuf part = content.content();
        CompositeByteBuf collected = body;
        if (part.isReadable()) {
            if (collected == null) {
                collected = context.alloc().compositeBuffer(1024);
                body = collected;
            }
            long size = collected.readableBytes() + (long) part.readableBytes();
            if (size > maxBodyBytes) {
                refuseTooLarge(context, request);
                return;
            }
            if (size > MemoryBudget.SMALL_BYTES && taken == 0 && !takeBudget(request)) {
                refuse(context, request, 503, "Too many large requests are under way; try again shortly");
                return;
            }
            collected.addComponent(true, part.retain());
        }
        if (content instanceof LastHttpContent) {
            byte[] bytes = EMPTY;
            if (collected != null) {
                bytes = new byte[collected.readableBytes()];
                collected.readBytes(bytes);
            }
            releaseBody();
            head = null;
            Exchange exchange = exchange(context, request, bytes);
            taken = 0;
            accept(context, exchange);
        }
    }

    private Exchange exchange(ChannelHandlerContext context, HttpRequest request, byte[] bytes) {
        String uri = originForm(request.uri());
        int query = uri.indexOf('?');
        String path = query < 0 ? uri : uri.substring(0, query);
        HttpCall call = new HttpCall(
                request.method().name(),
                uri,
                path,
                request.headers(),
                bytes,
                remoteIp,
                context.channel().eventLoop());
        if (!identified) {
            identified = true;
            certified = ServerTls.userOf(context.channel());
        }
        call.certified(certified);
        return new Exchange(call, request.protocolVersion(), HttpUtil.isKeepAlive(request), taken);
    }

    /** Path and query of a target; in the form that is meant for proxies, they come after scheme and host. */
    private static String originForm(String target) {
        int host = target.indexOf("://") + 3;
        if (target.startsWith("/") || host < 3) {
            return target;
        }
        int path = target.indexOf('/', host);
        return path < 0 ? "/" : target.substring(path);
    }

    /** Takes from the budget what the whole body may need: what it says it is long, or else the most it may be. */
    private boolean takeBudget(HttpRequest request) {
        int wanted = (int) Math.min(maxBodyBytes, HttpUtil.getContentLength(request, (long) maxBodyBytes));
        if (!budget.take(wanted)) {
            return false;
        }
        taken = wanted;
        return true;
    }

    private void giveBack(int bytes) {
        if (bytes > 0) {
            budget.release(bytes);
        }
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
        if (queue != null && queue.isEmpty() && !context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            work(context);
        }
        context.fireChannelWritabilityChanged();
    }

    private void start(ChannelHandlerContext context, Exchange exchange) {
        current = exchange;
        CompletionStage<HttpAnswer> stage = router.route(exchange.call);
        if (stage instanceof CompletableFuture<HttpAnswer> future && future.isDone()) {
            answer(context, exchange, future.join());
            return;
        }
        stage.thenAccept(answer -> {
            if (context.channel().eventLoop().inEventLoop()) {
                answer(context, exchange, answer);
            } else {
                context.channel().eventLoop().execute(() -> answer(context, exchange, answer));
            }
        });
    }

    @SuppressWarnings("ReferenceEquality") // an exchange is this one request, not one like it
    private void answer(ChannelHandlerContext context, Exchange exchange, HttpAnswer answer) {
        HttpBody stream = answer.stream();
        if (current != exchange) {
            // The client has gone meanwhile.
            if (stream != null) {
                stream.close();
            }
            return;
        }
        giveBack(exchange.taken);
        write(context, exchange, answer, keepsAlive(exchange));
        if (stream == null) {
            answered(context, exchange);
            return;
        }
        // Given back once, whatever becomes of the stream.
        Exchange sending = new Exchange(exchange.call, exchange.version, exchange.keepAlive, 0);
        current = sending;
        streaming = stream;
        if (exchange.call.method().equals("HEAD")) {
            endStream();
            answered(context, sending);
            if (!keepsAlive(sending)) {
                context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            }
        } else {
            sendNext(context, sending, stream);
        }
    }

    /** One piece after the other, each when the one before it has left. */
    private void sendNext(ChannelHandlerContext context, Exchange exchange, HttpBody stream) {
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
        if (stream != null) {
            stream.close();
        }
    }

    private void answered(ChannelHandlerContext context, Exchange exchange) {
        current = null;
        if (keepsAlive(exchange)) {
            work(context);
        } else {
            // What comes after a request that closes is not looked at.
            discarding = true;
            forgetPipelined();
        }
    }

    private boolean keepsAlive(Exchange exchange) {
        return exchange.keepAlive && !finishing;
    }

    private void forgetPipelined() {
        ArrayDeque<Exchange> queue = pipelined;
        if (queue != null) {
            queue.forEach(exchange -> giveBack(exchange.taken));
            queue.clear();
        }
    }

    private static void write(ChannelHandlerContext context, Exchange exchange, HttpAnswer answer, boolean keepAlive) {
        byte[] content = exchange.call.method().equals("HEAD") ? EMPTY : answer.body();
        byte[] end = keepAlive ? (exchange.version.isKeepAliveDefault() ? END : KEEP_ALIVE_END) : CLOSE_END;
        byte[] date = HttpDate.headerLine();
        ByteBuf out = context.alloc()
                .directBuffer(answer.head().length + date.length + end.length + content.length)
                .writeBytes(answer.head())
                .writeBytes(date)
                .writeBytes(end)
                .writeBytes(content);
        if (keepAlive || answer.stream() != null) {
            context.writeAndFlush(out, context.voidPromise());
        } else {
            context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void refuseUnreadable(ChannelHandlerContext context, HttpRequest request, Throwable cause) {
        int status = cause instanceof TooLongFrameException
                ? (String.valueOf(cause.getMessage()).contains("header") ? 431 : 414)
                : 400;
        refuse(context, request, status, "The request cannot be read: " + cause.getMessage());
    }

    private void refuseTooLarge(ChannelHandlerContext context, HttpRequest request) {
        refuse(context, request, 413, "The body is larger than " + maxBodyBytes + " bytes");
    }

    /** Answers and closes; what else the client sends is not read. */
    private void refuse(ChannelHandlerContext context, HttpRequest request, int status, String message) {
        discarding = true;
        head = null;
        releaseBody();
        giveBack(taken);
        taken = 0;
        if (current != null || pipelined != null && !pipelined.isEmpty()) {
            // An answer now would be taken for that of a request still under way.
            context.close();
            return;
        }
        String path = request.decoderResult().isFailure() ? "" : request.uri();
        HttpCall call = new HttpCall(
                "GET",
                path,
                path,
                EmptyHttpHeaders.INSTANCE,
                EMPTY,
                remoteIp,
                context.channel().eventLoop());
        Exchange exchange = new Exchange(call, HttpVersion.HTTP_1_1, false, 0);
        write(context, exchange, router.unreadable(call, status, message), false);
    }

    private void releaseBody() {
        CompositeByteBuf collected = body;
        if (collected != null) {
            body = null;
            collected.release();
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the event is this one object
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == FINISH) {
            finishing = true;
            if (current == null && head == null) {
                context.close();
            }
            return;
        }
        if (event instanceof IdleStateEvent idle
                && (current == null || streaming != null)
                && !isFirstWhileAnswering(context, idle)) {
            // Nothing asked and nothing heard for long: a keep-alive nobody uses, or a request cut off half way.
            context.close();
        }
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

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
