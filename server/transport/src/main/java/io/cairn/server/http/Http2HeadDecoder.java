package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

/** Decodes heads, and reports the compressed length of the last head. */
final class Http2HeadDecoder extends DefaultHttp2HeadersDecoder {

    private int blockBytes;

    /** @param maxBytes of a decompressed head */
    Http2HeadDecoder(int maxBytes) {
        super(true, maxBytes);
    }

    @Override
    public Http2Headers decodeHeaders(int streamId, ByteBuf block) throws Http2Exception {
        blockBytes = block.readableBytes();
        return super.decodeHeaders(streamId, block);
    }

    /** The compressed bytes of the last head. */
    int blockBytes() {
        return blockBytes;
    }
}
