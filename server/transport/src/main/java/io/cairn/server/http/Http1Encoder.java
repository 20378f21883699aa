package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Encodes the connection-specific parts of HTTP/1.1 responses. */
final class Http1Encoder {

    private static final byte[] EMPTY = {};
    private static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");
    private static final byte[] END = ascii("\r\n");
    private static final byte[] KEEP_ALIVE_END = ascii("Connection: keep-alive\r\n\r\n");
    private static final byte[] CLOSE_END = ascii("Connection: close\r\n\r\n");
    private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");

    private Http1Encoder() {}

    static ByteBuf continueResponse() {
        return Unpooled.wrappedBuffer(CONTINUE);
    }

    /** A chunk of a body (RFC 9112, section 7.1). */
    static ByteBuf chunk(byte[] piece) {
        byte[] size = ascii(Integer.toHexString(piece.length) + "\r\n");
        return Unpooled.wrappedBuffer(size, piece, END);
    }

    static ByteBuf lastChunk() {
        return Unpooled.wrappedBuffer(LAST_CHUNK);
    }

    /** Encodes the head and the first piece of the body. */
    static ByteBuf encode(
            ByteBufAllocator allocator,
            HttpResponse response,
            boolean isHead,
            HttpVersion version,
            boolean keepAlive,
            boolean isChunked) {
        byte[] content = isHead ? EMPTY : response.body();
        int first = Math.min(content.length, LargeAnswer.PIECE_BYTES);
        byte[] end = keepAlive ? (version.isKeepAliveDefault() ? END : KEEP_ALIVE_END) : CLOSE_END;
        byte[] date = HttpDate.headerLine();
        byte[] coding = isChunked ? CHUNKED : EMPTY;
        return allocator
                .directBuffer(response.head().length + coding.length + date.length + end.length + first)
                .writeBytes(response.head())
                .writeBytes(coding)
                .writeBytes(date)
                .writeBytes(end)
                .writeBytes(content, 0, first);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
