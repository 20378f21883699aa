package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/** Decodes HTTP/1.1 requests, and reports incomplete heads and buffered bytes. */
final class RequestDecoder extends HttpRequestDecoder {

    private boolean isInHead;
    private boolean isInBody;
    /** Bytes read since the last complete part. */
    private int taken;

    private int kept;

    private int headBytes;

    RequestDecoder(HttpDecoderConfig config) {
        super(config);
    }

    boolean isInHead() {
        return isInHead;
    }

    /** Buffered bytes of an incomplete head, or of the lines between chunks. */
    int kept() {
        return kept;
    }

    /** Bytes of the last head, with its request line. */
    int headBytes() {
        return headBytes;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (!isInHead && !isInBody) {
            isInHead = isTextIn(in);
            taken = 0;
        }
        int known = out.size();
        int before = in.readableBytes();
        super.decode(context, in, out);
        taken += before - in.readableBytes();
        if (out.size() > known) {
            if (isInHead) {
                headBytes = taken;
            }
            taken = 0;
        }
        kept = taken + in.readableBytes();
        for (int i = known; i < out.size(); i++) {
            inspect(out.get(i));
        }
    }

    /** Compares the most frequent parts by identity, which costs less than an interface check. */
    private void inspect(Object part) {
        if (part == LastHttpContent.EMPTY_LAST_CONTENT) {
            isInBody = false;
        } else if (part.getClass() == DefaultHttpRequest.class) {
            isInHead = false;
            isInBody = true;
        } else {
            if (part instanceof HttpRequest) {
                isInHead = false;
                isInBody = true;
            }
            if (part instanceof LastHttpContent) {
                isInBody = false;
            }
        }
    }

    /** Empty lines between requests do not start a head. */
    private static boolean isTextIn(ByteBuf in) {
        for (int i = in.readerIndex(); i < in.writerIndex(); i++) {
            if (in.getByte(i) > ' ') {
                return true;
            }
        }
        return false;
    }
}
