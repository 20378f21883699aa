package io.cairn.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The first handler until the client's first byte, which shows whether the client uses TLS; then removes itself. The
 * server's first output, such as the settings of HTTP/2, waits until then.
 */
final class TlsDetector extends ChannelDuplexHandler {

    private static final int TLS_HANDSHAKE = 22;

    private final ServerTls tls;
    private final ServerTls.Port port;
    private final Deque<Unsent> waiting = new ArrayDeque<>(4);
    private boolean flush;

    TlsDetector(ServerTls tls, ServerTls.Port port) {
        this.tls = tls;
        this.port = port;
    }

    private record Unsent(Object message, ChannelPromise promise) {}

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            ReferenceCountUtil.release(message);
            return;
        }
        SslHandler encryption = null;
        if (bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE) {
            encryption = tls.newHandler(context.channel(), port);
            context.pipeline().addAfter(context.name(), "tls", encryption);
        } else if (!tls.mayBePlain(context.channel(), port)) {
            bytes.release();
            tls.refusePlain(context, port);
            return;
        }
        sendWaiting(context, encryption);
        context.pipeline().remove(this);
        context.fireChannelRead(bytes);
    }

    private void sendWaiting(ChannelHandlerContext context, @Nullable SslHandler encryption) throws Exception {
        ChannelHandlerContext encrypted =
                encryption == null ? null : context.pipeline().context(encryption);
        for (Unsent unsent = waiting.poll(); unsent != null; unsent = waiting.poll()) {
            if (encryption == null || encrypted == null) {
                context.write(unsent.message, unsent.promise);
            } else {
                encryption.write(encrypted, unsent.message, unsent.promise);
            }
        }
        if (flush && encryption != null && encrypted != null) {
            encryption.flush(encrypted);
        } else if (flush) {
            context.flush();
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        waiting.add(new Unsent(message, promise));
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        flush = true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        forget();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        forget();
    }

    private void forget() {
        for (Unsent unsent = waiting.poll(); unsent != null; unsent = waiting.poll()) {
            ReferenceCountUtil.release(unsent.message);
            unsent.promise.tryFailure(new ClosedChannelException());
        }
    }
}
