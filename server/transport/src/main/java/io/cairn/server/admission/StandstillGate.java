package io.cairn.server.admission;

import io.cairn.server.timer.Standstill;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Discards input from clients that closed the connection while the process stood still. Such a client may have repeated its
 * request at another server, and a late publish would replace a newer one. After a standstill the input of each connection
 * therefore waits until its end would have been read too. The first handler of its connection.
 */
public final class StandstillGate extends ChannelInboundHandlerAdapter {

    /** The end of a connection is read together with its last bytes, or by the next read. */
    private static final long WAIT_MILLIS = 10;

    private final Standstill standstill;
    private @Nullable Queue<Object> waiting;

    public StandstillGate(Standstill standstill) {
        this.standstill = standstill;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Queue<Object> before = waiting;
        if (before != null) {
            before.add(message);
        } else if (standstill.isRecent()) {
            waiting = new ArrayDeque<>();
            waiting.add(message);
            context.executor().schedule(() -> resume(context), WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            context.fireChannelRead(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (waiting == null) {
            context.fireChannelReadComplete();
        }
    }

    private void resume(ChannelHandlerContext context) {
        Queue<Object> read = waiting;
        if (read == null) {
            return;
        }
        waiting = null;
        if (!context.channel().isActive()) {
            read.forEach(ReferenceCountUtil::release);
            return;
        }
        read.forEach(context::fireChannelRead);
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        discard();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        discard();
    }

    private void discard() {
        Queue<Object> read = waiting;
        if (read != null) {
            waiting = null;
            read.forEach(ReferenceCountUtil::release);
        }
    }
}
