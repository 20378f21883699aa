package io.cairn.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/** Answers whatever comes over a connection that may not stay, and ends it. */
public final class HttpRefusal extends ChannelInboundHandlerAdapter {

    private final String text;
    private boolean isAnswered;

    private HttpRefusal(String text) {
        this.text = text;
    }

    /** Puts itself before all other handlers. */
    public static void answer(Channel channel, String text) {
        channel.pipeline().addFirst(new HttpRefusal(text));
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
