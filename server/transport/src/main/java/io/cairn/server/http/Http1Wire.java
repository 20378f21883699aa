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

/** Serves HTTP/1.1: starts the requests of a connection in sequence, and writes their responses in that order. */
final class Http1Wire extends ChannelInboundHandlerAdapter implements HttpWire<Http1Exchange> {

    private static final int MAX_PIPELINED = 16;
    private static final int LINGER_SECONDS = 30;

    private final HttpExchanges<Http1Exchange> exchanges;
    private final HttpMemory memory;
    private final Http1Heads heads;

    /** The request whose body is being received. */
    private @Nullable Http1Exchange coming;

    private @Nullable ArrayDeque<Http1Exchange> pipelined;
    /** The request whose response is pending or being sent. */
    private @Nullable Http1Exchange current;
    /** The rest of the current response, if its body is in memory. */
    private @Nullable LargeAnswer large;
    /** The upload of this connection, which ends with its response. */
    private @Nullable Http1Exchange uploading;

    private boolean working;
    private boolean discarding;
    private boolean finishing;
    /** Whether the response ends with the connection only. */
    private boolean endless;
    /** Whether the end of the connection marks the end of the response. */
    private boolean endsWithConnection;

    private boolean chunked;
    /** Whether the client of the incoming request waits for 100 Continue. */
    private boolean continueDue;
    /** Whether to close the connection after the rest of a rejected request. */
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
        exchanges.endSlowReader();
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
        String fault = TransferCoding.fault(request.headers());
        if (fault == null) {
            fault = HostHeader.fault(request);
        }
        if (fault != null) {
            exchanges.refuse(exchange, 400, "The request cannot be read: " + fault);
            return;
        }
        coming = exchange;
        exchanges.begin(exchange, false);
    }

    /** Waits for its turn, like a response. */
    @Override
    public void sendContinue(Http1Exchange exchange) {
        continueDue = true;
        work();
    }

    @Override
    public void beginUpload(Http1Exchange exchange) {
        // A client may have received the whole of a streamed response before its end is recorded here.
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

    /** Whether another request is in progress, or reads are paused. */
    private boolean isServersTurn() {
        return !isIdle() || !context().channel().config().isAutoRead();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // compares identity
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
            // Reads resume when the queue is empty.
            context().channel().config().setAutoRead(false);
        }
    }

    /** Starts queued requests while their responses complete at once and the client reads them. */
    private void work() {
        if (working) {
            // A response completed at once; the loop below continues.
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
            context.writeAndFlush(Http1Encoder.continueResponse(), context.voidPromise());
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
        endless = stream != null && stream.isEndless();
        boolean isOfUnknownLength = stream != null && stream.length() == HttpBody.UNKNOWN_LENGTH;
        // HTTP/1.0 does not support chunks.
        chunked =
                isOfUnknownLength && !endless && exchange.head.protocolVersion().isKeepAliveDefault();
        endsWithConnection = isOfUnknownLength && !chunked;
        boolean keepAlive = keepsAlive(exchange);
        ChannelHandlerContext context = context();
        ByteBuf out = encoded(context, exchange, response, keepAlive);
        if (held != null) {
            large = held;
            exchanges.slowReader().begin(held.sent());
            context.writeAndFlush(out, context.voidPromise());
            // The call above may have sent the whole response and started the next request.
            if (large == held) {
                push(exchange, held);
            }
        } else if (stream != null && !exchange.isHead()) {
            if (!endless) {
                exchanges.slowReader().begin(0);
                exchanges.slowReader().pause();
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
     * Responds to an incomplete request and closes. A client that is still sending would miss the response if the connection
     * were closed at once, so the rest is read and discarded for a while.
     */
    private void sendEarly(Http1Exchange exchange, HttpResponse response, @Nullable LargeAnswer held) {
        discarding = true;
        lingering = true;
        chunked = false;
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

    private ByteBuf encoded(
            ChannelHandlerContext context, Http1Exchange exchange, HttpResponse response, boolean keepAlive) {
        return Http1Encoder.encode(
                context.alloc(), response, exchange.isHead(), exchange.head.protocolVersion(), keepAlive, chunked);
    }

    private void push(Http1Exchange exchange, LargeAnswer rest) {
        int before = rest.sent();
        boolean isLast = rest.push(context());
        exchanges.slowReader().given(rest.sent() - before);
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
            exchanges.slowReader().end();
            rest.end();
        }
    }

    @Override
    public ChannelFuture sendPiece(Http1Exchange exchange, byte[] piece) {
        ChannelFuture written = context()
                .writeAndFlush(chunked ? Http1Encoder.chunk(piece) : Unpooled.wrappedBuffer(piece))
                .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        if (!endless) {
            SlowReaderTimeout timeout = exchanges.slowReader();
            timeout.resume();
            timeout.given(piece.length);
            written.addListener(sent -> timeout.pause());
        }
        return written;
    }

    @Override
    public void sendEnd(Http1Exchange exchange) {
        exchanges.endSlowReader();
        if (chunked) {
            context().writeAndFlush(Http1Encoder.lastChunk(), context().voidPromise());
        }
        answered(exchange);
        if (!keepsAlive(exchange)) {
            closeAfterwards(context());
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
        return exchange.keepAlive && !finishing && !endsWithConnection;
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
    @SuppressWarnings("ReferenceEquality") // compares identity
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == HttpPipeline.FINISH) {
            finishing = true;
            if (isIdle() && coming == null) {
                discarding = true;
                // The last response may still be in the buffers.
                closeAfterwards(context);
            }
            return;
        }
        if (event instanceof IdleStateEvent idle && isClientAwaited(context) && !isFirstWhileAnswering(context, idle)) {
            // Closes idle connections and incomplete requests.
            context.close();
        }
    }

    /** Whether the client must send or read before the exchange can continue. */
    private boolean isClientAwaited(ChannelHandlerContext context) {
        Http1Exchange exchange = current;
        if (exchange == null || large != null) {
            return true;
        }
        return exchange.streaming != null && !isWaitingForEvents(context)
                || exchange.upload != null && exchange.upload.isAwaited();
    }

    /** Whether the client of an endless response has received all events. */
    private boolean isWaitingForEvents(ChannelHandlerContext context) {
        ChannelOutboundBuffer unsent = context.channel().unsafe().outboundBuffer();
        return endless && unsent != null && unsent.isEmpty();
    }

    /** The first event always occurs; only later events show that a client does not read. */
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
