package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1: starts the requests of a connection one after the other, and writes their responses in that order. Runs on the
 * event loop of the connection.
 */
final class Http1Wire extends ChannelInboundHandlerAdapter implements HttpWire<Http1Exchange> {

    private static final int MAX_PIPELINED = 16;
    private static final int LINGER_SECONDS = 30;

    private final HttpExchanges<Http1Exchange> exchanges;
    private final HttpMemory memory;
    private final Http1Heads heads;

    /** The request whose body is being received. */
    private @Nullable Http1Exchange coming;

    private @Nullable ArrayDeque<Http1Exchange> pipelined;
    /** The request whose response is awaited or being sent. */
    private @Nullable Http1Exchange current;
    /** The rest of the current response, if its body is in memory. */
    private @Nullable LargeAnswer large;
    /** The one upload of this connection, which ends with its response. */
    private @Nullable Http1Exchange uploading;

    private boolean working;
    private boolean discarding;
    private boolean finishing;
    private boolean endless;
    /** Whether the client of the request that comes in waits for leave to send its body. */
    private boolean continueDue;
    /** Whether the connection is closed when the rest of a refused request has come. */
    private boolean lingering;

    Http1Wire(RequestHandler handler, HttpMemory memory, ResponseCompression compression, RequestDecoder decoder) {
        this.exchanges = new HttpExchanges<>(handler, memory, compression, this);
        this.memory = memory;
        this.heads = new Http1Heads(exchanges, memory, decoder, this::isServersTurn, this::refuseHead);
    }

    @Override
    public String protocol() {
        return "HTTP";
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        exchanges.open(context);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        heads.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        discarding = true;
        endPipelined();
        endLarge();
        exchanges.endPace();
        end(coming);
        coming = null;
        end(uploading);
        end(current);
        current = null;
        context.fireChannelInactive();
    }

    private void end(@Nullable Http1Exchange exchange) {
        if (exchange != null) {
            exchanges.end(exchange);
        }
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
            if (message instanceof HttpRequest request) {
                begin(request);
            }
            if (message instanceof HttpContent content && !discarding) {
                receive(content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void receive(HttpContent content) {
        boolean isLast = content instanceof LastHttpContent;
        Http1Exchange exchange = uploading;
        Upload upload = exchange == null ? null : exchange.upload;
        if (exchange != null && upload != null && !exchange.isComplete) {
            if (content.decoderResult().isFailure()) {
                cutOff(exchange);
            } else {
                exchanges.upload(exchange, upload, content.content(), isLast);
            }
            return;
        }
        exchange = coming;
        if (exchange == null) {
            return;
        }
        if (content.decoderResult().isFailure()) {
            refuseUnreadable(exchange, content.decoderResult().cause());
            return;
        }
        continueDue = false;
        if (content.content().isReadable() && !exchanges.keep(exchange, content.content())) {
            return;
        }
        if (isLast) {
            coming = null;
            exchange.keepAlive = !heads.isLarge() && HttpUtil.isKeepAlive(exchange.head);
            exchanges.complete(exchange);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        boolean isInHead = !discarding && heads.check(coming);
        Http1Exchange exchange = coming;
        if (!isInHead && exchange != null && exchange.body != null && isIdle()) {
            exchanges.expire(exchange, exchange.body);
        }
        context.fireChannelReadComplete();
    }

    private void begin(HttpRequest request) {
        heads.ended();
        Http1Exchange exchange = new Http1Exchange(request);
        if (request.decoderResult().isFailure()) {
            refuseUnreadable(exchange, request.decoderResult().cause());
            return;
        }
        if (!heads.admits(exchange)) {
            return;
        }
        String coding = TransferCoding.fault(request.headers());
        if (coding != null) {
            exchanges.refuse(exchange, 400, "The request cannot be read: " + coding);
            return;
        }
        coming = exchange;
        exchanges.begin(exchange, false);
    }

    /** Not into the middle of a response: it has its turn like one. */
    @Override
    public void sendContinue(Http1Exchange exchange) {
        continueDue = true;
        work();
    }

    @Override
    public void beginUpload(Http1Exchange exchange) {
        // A client has the whole of a response that comes in pieces before the end of it is noted here.
        boolean isNext =
                current != null && current.streaming != null && !endless && (pipelined == null || pipelined.isEmpty());
        if (!isIdle() && !isNext) {
            exchanges.refuse(exchange, 400, "A file is to be sent by itself");
            return;
        }
        coming = null;
        uploading = exchange;
        exchanges.beginUpload(exchange, new Http1Upload(context(), exchange.isContinueExpected()));
    }

    private boolean isIdle() {
        return current == null && (pipelined == null || pipelined.isEmpty());
    }

    /** Whether another request is under way, or nothing is read. */
    private boolean isServersTurn() {
        return !isIdle() || !context().channel().config().isAutoRead();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // an exchange is this one request, not one like it
    public boolean isTurn(Http1Exchange exchange) {
        return current == exchange || isIdle();
    }

    @Override
    public void startInTurn(Http1Exchange exchange) {
        ArrayDeque<Http1Exchange> queue = pipelined;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            pipelined = queue;
        }
        queue.add(exchange);
        work();
        if (queue.size() >= MAX_PIPELINED) {
            // Reading goes on when the queue has been worked off.
            context().channel().config().setAutoRead(false);
        }
    }

    /** Starts what waits, as long as each is answered at once and the client reads its answers. */
    private void work() {
        if (working) {
            // An answer that came at once; the loop below goes on.
            return;
        }
        working = true;
        ChannelHandlerContext context = context();
        ArrayDeque<Http1Exchange> queue = pipelined;
        while (queue != null && current == null && context.channel().isWritable()) {
            Http1Exchange next = queue.poll();
            if (next == null) {
                break;
            }
            current = next;
            exchanges.start(next);
        }
        working = false;
        if (continueDue && isIdle()) {
            continueDue = false;
            context.writeAndFlush(Http1Encoder.goOn(), context.voidPromise());
        }
        if (queue != null
                && queue.isEmpty()
                && uploading == null
                && !context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            Http1Exchange exchange = current;
            if (exchange != null && large != null) {
                push(exchange, large);
            } else {
                work();
            }
        }
        context.fireChannelWritabilityChanged();
    }

    @Override
    public boolean isHeavy(int bytes) {
        return bytes > LargeAnswer.PIECE_BYTES;
    }

    @Override
    public void send(Http1Exchange exchange, HttpResponse response, @Nullable LargeAnswer held) {
        if (!exchange.isComplete) {
            sendEarly(exchange, response, held);
            return;
        }
        HttpBody stream = response.stream();
        // Without a length, only the end of the connection tells where the response ends.
        endless = stream != null && stream.length() == HttpBody.UNKNOWN_LENGTH;
        boolean keepAlive = keepsAlive(exchange);
        ChannelHandlerContext context = context();
        ByteBuf out = encoded(context, exchange, response, keepAlive);
        if (held != null) {
            large = held;
            exchanges.pace().begin(held.sent());
            context.writeAndFlush(out, context.voidPromise());
            // If the connection has become writable within the call above, the whole response may have left, and the
            // next request
            // may be under way.
            if (large == held) {
                push(exchange, held);
            }
        } else if (stream != null && !exchange.isHead()) {
            if (!endless) {
                exchanges.pace().begin(0);
                exchanges.pace().pause();
            }
            context.writeAndFlush(out, context.voidPromise());
        } else {
            if (keepAlive) {
                context.writeAndFlush(out, context.voidPromise());
            } else {
                context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
            }
            answered(exchange);
        }
    }

    /**
     * Answers a request that has not come as a whole, and closes. A client that still sends would never read the response if
     * the connection were closed at once, so the rest is read and thrown away for a while.
     */
    private void sendEarly(Http1Exchange exchange, HttpResponse response, @Nullable LargeAnswer held) {
        discarding = true;
        lingering = true;
        current = null;
        coming = null;
        continueDue = false;
        ChannelHandlerContext context = context();
        ChannelFuture written = context.write(encoded(context, exchange, response, false));
        if (held != null) {
            byte[] body = response.body();
            written = context.write(Unpooled.wrappedBuffer(body, held.sent(), body.length - held.sent()));
            written.addListener(sent -> held.end());
        }
        written.addListener(sent -> HttpPipeline.endOutput(context.channel()));
        context.flush();
        context.channel().eventLoop().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    private static ByteBuf encoded(
            ChannelHandlerContext context, Http1Exchange exchange, HttpResponse response, boolean keepAlive) {
        return Http1Encoder.encode(
                context.alloc(), response, exchange.isHead(), exchange.head.protocolVersion(), keepAlive);
    }

    private void push(Http1Exchange exchange, LargeAnswer rest) {
        int before = rest.sent();
        boolean isLast = rest.push(context());
        exchanges.pace().given(rest.sent() - before);
        if (isLast) {
            endLarge();
            answered(exchange);
            if (!keepsAlive(exchange)) {
                closeAfterwards(context());
            }
        }
    }

    private void endLarge() {
        LargeAnswer rest = large;
        if (rest != null) {
            large = null;
            exchanges.pace().end();
            rest.end();
        }
    }

    @Override
    public ChannelFuture sendPiece(Http1Exchange exchange, byte[] piece) {
        ChannelFuture written = context()
                .writeAndFlush(Unpooled.wrappedBuffer(piece))
                .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        if (!endless) {
            AnswerPace pace = exchanges.pace();
            pace.goOn();
            pace.given(piece.length);
            written.addListener(sent -> pace.pause());
        }
        return written;
    }

    @Override
    public void sendEnd(Http1Exchange exchange) {
        exchanges.endPace();
        answered(exchange);
        if (!keepsAlive(exchange)) {
            context().close();
        }
    }

    private void answered(Http1Exchange exchange) {
        current = null;
        if (keepsAlive(exchange)) {
            work();
        } else {
            // Data after a request that closes the connection is discarded.
            discarding = true;
            endPipelined();
        }
    }

    private boolean keepsAlive(Http1Exchange exchange) {
        return exchange.keepAlive && !finishing && !endless;
    }

    @Override
    public void cutOff(Http1Exchange exchange) {
        discarding = true;
        context().close();
    }

    @Override
    public void cutOffUnread() {
        context().close();
    }

    private void endPipelined() {
        ArrayDeque<Http1Exchange> queue = pipelined;
        if (queue != null) {
            queue.forEach(exchanges::end);
            queue.clear();
        }
    }

    private static void closeAfterwards(ChannelHandlerContext context) {
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    private void refuseUnreadable(Http1Exchange exchange, Throwable cause) {
        if (cause instanceof TooLongFrameException) {
            boolean isLine = !String.valueOf(cause.getMessage()).contains("header");
            exchanges.refuse(exchange, isLine ? 414 : 431, memory.headTooLong());
        } else {
            exchanges.refuse(exchange, 400, "The request cannot be read: " + cause.getMessage());
        }
    }

    private void refuseHead(String limit) {
        if (!discarding) {
            exchanges.refuse(Http1Heads.unread(), 408, limit);
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the event is this one object
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == HttpPipeline.FINISH) {
            finishing = true;
            if (isIdle() && coming == null) {
                discarding = true;
                // The last answer may still be on its way.
                closeAfterwards(context);
            }
            return;
        }
        if (event instanceof IdleStateEvent idle && isClientAwaited(context) && !isFirstWhileAnswering(context, idle)) {
            // Nothing asked and nothing heard for long: a keep-alive nobody uses, or a request cut off half way.
            context.close();
        }
    }

    /** Whether the client has to send or to read before anything goes on. */
    private boolean isClientAwaited(ChannelHandlerContext context) {
        Http1Exchange exchange = current;
        if (exchange == null || large != null) {
            return true;
        }
        return exchange.streaming != null && !isWaitingForEvents(context)
                || exchange.upload != null && exchange.upload.isAwaited();
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
        exchanges.fail(cause);
    }

    private ChannelHandlerContext context() {
        return exchanges.context();
    }
}
