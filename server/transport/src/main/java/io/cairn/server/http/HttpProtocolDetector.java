package io.cairn.server.http;

import io.cairn.server.admission.RequestHeadTimeout;
import io.cairn.server.limit.Limit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.timeout.IdleStateEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Detects HTTP/2 by the first bytes of a connection, which are no valid request of HTTP/1.1. */
final class HttpProtocolDetector extends ByteToMessageDecoder {

    private static final byte[] PREFACE = preface();

    private final HttpPipeline pipeline;
    private final Limit headSeconds;
    private @Nullable RequestHeadTimeout deadline;

    HttpProtocolDetector(HttpPipeline pipeline, Limit headSeconds) {
        this.pipeline = pipeline;
        this.headSeconds = headSeconds;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        int seen = Math.min(in.readableBytes(), PREFACE.length);
        int same = 0;
        while (same < seen && in.getByte(in.readerIndex() + same) == PREFACE[same]) {
            same++;
        }
        if (same < seen) {
            pipeline.http1(context.pipeline());
        } else if (same == PREFACE.length) {
            pipeline.http2(context.pipeline());
        } else {
            await(context);
            return;
        }
        // The removal passes the read bytes on.
        context.pipeline().remove(this);
    }

    private void await(ChannelHandlerContext context) {
        if (deadline == null) {
            deadline = new RequestHeadTimeout(headSeconds, context.executor(), () -> false, late -> context.close());
            deadline.begun();
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        if (deadline != null) {
            deadline.close();
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // compares identity
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent || event == HttpPipeline.FINISH) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    private static byte[] preface() {
        ByteBuf bytes = Http2CodecUtil.connectionPrefaceBuf();
        byte[] preface = new byte[bytes.readableBytes()];
        bytes.readBytes(preface).release();
        return preface;
    }
}
