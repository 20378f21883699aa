package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/** Reads requests of HTTP/1.1, and knows whether it is in the middle of a head, and how much it keeps of what came. */
final class RequestDecoder extends HttpRequestDecoder {

    private boolean isInHead;
    private boolean isInBody;
    /** Bytes that were taken since a part was handed on. */
    private int taken;
    /** Bytes of those that are kept until a part is complete. */
    private int kept;
    /** Bytes of the last head. */
    private int headBytes;

    RequestDecoder(HttpDecoderConfig config) {
        super(config);
    }

    /** Whether a request has begun whose head is not there as a whole. */
    boolean isInHead() {
        return isInHead;
    }

    /** Bytes of a part that is not there as a whole: a head, or the lines between the chunks of a body. */
    int kept() {
        return kept;
    }

    /** Bytes of the head that was handed on last, with its request line. */
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
            see(out.get(i));
        }
    }

    /** Compares the most frequent parts by identity first: a test for one of the many interfaces of a class costs more. */
    private void see(Object part) {
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

    /** Empty lines between requests begin nothing. */
    private static boolean isTextIn(ByteBuf in) {
        for (int i = in.readerIndex(); i < in.writerIndex(); i++) {
            if (in.getByte(i) > ' ') {
                return true;
            }
        }
        return false;
    }
}
