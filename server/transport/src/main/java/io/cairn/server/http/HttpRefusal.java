package io.cairn.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rejects a connection: responds to the first input with 503 and closes, or closes after 2 s without input. Closes at once
 * when very many rejected connections are open.
 */
public final class HttpRefusal extends ChannelInboundHandlerAdapter {

    private static final int MOST = 1_000;
    private static final long PATIENCE_MILLIS = 2_000;
    /** Rejected connections that are still open; static, because all servers of the process share its open files. */
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final String text;
    private boolean isAnswered;

    private HttpRefusal(String text) {
        this.text = text;
    }

    /** Adds the handler before all others. */
    public static void answer(Channel channel, String text) {
        channel.pipeline().addFirst(new HttpRefusal(text));
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        int open = OPEN.incrementAndGet();
        channel.closeFuture().addListener(closed -> OPEN.decrementAndGet());
        if (open > MOST) {
            context.close();
        } else {
            // No limit counts a rejected connection, so it must not stay open.
            var end = context.executor().schedule(() -> context.close(), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> end.cancel(false));
        }
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ReferenceCountUtil.release(message);
        if (isAnswered) {
            return;
        }
        isAnswered = true;
        byte[] body = (text + '\n').getBytes(StandardCharsets.UTF_8);
        byte[] head = ("HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: "
                        + body.length + "\r\nRetry-After: 1\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        context.writeAndFlush(Unpooled.wrappedBuffer(head, body)).addListener(ChannelFutureListener.CLOSE);
    }
}
