package io.cairn.server.http;

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

    private final HttpRouter router;
    private final int maxBodyBytes;
    private final AtomicInteger open;
    private String remoteIp = "";

    private @Nullable HttpRequest head;
    private @Nullable CompositeByteBuf body;
    private @Nullable ArrayDeque<Exchange> pipelined;
    private @Nullable Exchange current;
    private boolean discarding;

    HttpExchanges(HttpRouter router, int maxBodyBytes, AtomicInteger open) {
        this.router = router;
        this.maxBodyBytes = maxBodyBytes;
        this.open = open;
    }

    private record Exchange(HttpCall call, HttpVersion version, boolean keepAlive) {}

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
        pipelined = null;
        discarding = true;
        Exchange unanswered = current;
        if (unanswered != null) {
            current = null;
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
            if (collected.readableBytes() + (long) part.readableBytes() > maxBodyBytes) {
                refuseTooLarge(context, request);
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
            accept(context, exchange(context, request, bytes));
        }
    }

    private Exchange exchange(ChannelHandlerContext context, HttpRequest request, byte[] bytes) {
        String uri = request.uri();
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
        return new Exchange(call, request.protocolVersion(), HttpUtil.isKeepAlive(request));
    }

    private void accept(ChannelHandlerContext context, Exchange exchange) {
        if (current == null) {
            start(context, exchange);
            return;
        }
        ArrayDeque<Exchange> queue = pipelined;
        if (queue == null) {
            queue = new ArrayDeque<>();
            pipelined = queue;
        }
        queue.add(exchange);
        if (queue.size() >= MAX_PIPELINED) {
            // Reading goes on when the queue has been worked off.
            context.channel().config().setAutoRead(false);
        }
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
        if (current != exchange) {
            // The client has gone meanwhile.
            return;
        }
        current = null;
        write(context, exchange, answer, exchange.keepAlive);
        ArrayDeque<Exchange> queue = pipelined;
        Exchange next = queue == null ? null : queue.poll();
        if (next != null && exchange.keepAlive) {
            start(context, next);
        } else if (queue != null) {
            pipelined = null;
            context.channel().config().setAutoRead(true);
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
        if (keepAlive) {
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
        if (current != null) {
            // An answer now would be taken for that of the request still under way.
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
        Exchange exchange = new Exchange(call, HttpVersion.HTTP_1_1, false);
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
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent && current == null) {
            // Nothing asked and nothing heard for long: a keep-alive nobody uses, or a request cut off half way.
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
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
