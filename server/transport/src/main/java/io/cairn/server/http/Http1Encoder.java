package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** The bytes of HTTP/1.1 that are not in an answer itself. */
final class Http1Encoder {

    private static final byte[] EMPTY = {};
    private static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");
    private static final byte[] END = ascii("\r\n");
    private static final byte[] KEEP_ALIVE_END = ascii("Connection: keep-alive\r\n\r\n");
    private static final byte[] CLOSE_END = ascii("Connection: close\r\n\r\n");

    private Http1Encoder() {}

    /** The leave to send a body. */
    static ByteBuf goOn() {
        return Unpooled.wrappedBuffer(CONTINUE);
    }

    /** Head and body, of a large body the first piece. */
    static ByteBuf encode(
            ByteBufAllocator allocator, HttpResponse response, boolean isHead, HttpVersion version, boolean keepAlive) {
        byte[] content = isHead ? EMPTY : response.body();
        int first = Math.min(content.length, LargeAnswer.PIECE_BYTES);
        byte[] end = keepAlive ? (version.isKeepAliveDefault() ? END : KEEP_ALIVE_END) : CLOSE_END;
        byte[] date = HttpDate.headerLine();
        return allocator
                .directBuffer(response.head().length + date.length + end.length + first)
                .writeBytes(response.head())
                .writeBytes(date)
                .writeBytes(end)
                .writeBytes(content, 0, first);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
