package io.cairn.server.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Map;

/**
 * Reads heads of requests with Netty's HPACK. A client that asks again and again sends the same few bytes, each an index into the
 * table (RFC 7541, section 6.1): those change nothing, so what they came to the last time is what they come to again.
 */
final class HeadReader {

    static final int MAX_LIST_BYTES = 8 * 1024;
    private static final byte[] NONE = {};

    private final DefaultHttp2HeadersDecoder decoder;
    private final Map<AsciiString, Call.Handler> methods;
    private byte[] knownBlock = NONE;
    private RequestHead known = RequestHead.NONE;

    HeadReader(Map<AsciiString, Call.Handler> methods) {
        this.methods = methods;
        this.decoder = new DefaultHttp2HeadersDecoder(true, MAX_LIST_BYTES);
    }

    /** @throws Http2Exception of a stream when the head is wrong, else when the table is not what it should be any more */
    RequestHead read(int stream, ByteBuf block) throws Http2Exception {
        if (isKnown(block)) {
            block.skipBytes(block.readableBytes());
            return known;
        }
        knownBlock = NONE;
        byte[] indexes = indexes(block);
        Http2Headers headers = decode(stream, block);
        if (!RequestHead.isWellFormed(headers)) {
            throw Http2Exception.streamError(
                    stream, Http2Error.PROTOCOL_ERROR, "stream %d has no method, scheme or path", stream);
        }
        RequestHead head = RequestHead.of(headers, methods);
        if (indexes.length > 0) {
            knownBlock = indexes;
            known = head;
        }
        return head;
    }

    /** Reads headers that nobody wants, for what they do to the table. */
    Http2Headers decode(int stream, ByteBuf block) throws Http2Exception {
        knownBlock = NONE;
        return decoder.decodeHeaders(stream, block);
    }

    private boolean isKnown(ByteBuf block) {
        byte[] present = knownBlock;
        if (present.length == 0 || present.length != block.readableBytes()) {
            return false;
        }
        int from = block.readerIndex();
        for (int i = 0; i < present.length; i++) {
            if (block.getByte(from + i) != present[i]) {
                return false;
            }
        }
        return true;
    }

    /** The block when it consists of indexes alone, else nothing. */
    private static byte[] indexes(ByteBuf block) {
        int from = block.readerIndex();
        byte[] bytes = new byte[block.readableBytes()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = block.getByte(from + i);
            // The highest bit is set, and the index fits in the others.
            if (bytes[i] >= 0 || bytes[i] == -1) {
                return NONE;
            }
        }
        return bytes;
    }
}
