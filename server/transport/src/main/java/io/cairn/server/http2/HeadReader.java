package io.cairn.server.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Map;

/**
 * Reads request heads with Netty's HPACK. Caches the last head that consists of table indexes only (RFC 7541, section 6.1):
 * such a block does not change the table, so equal blocks have equal heads.
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

    /** @throws Http2Exception a stream error for an invalid head, or a connection error when the table is corrupt */
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

    /** Decodes headers without using them, to update the table. */
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

    /** The block when it consists of indexes only, otherwise empty. */
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
