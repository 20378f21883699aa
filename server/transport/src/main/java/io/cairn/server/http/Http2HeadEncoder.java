package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import java.io.ByteArrayOutputStream;
import java.util.Map;

/** Writes response heads without a dynamic table: encoded bytes and the date. One per connection. */
final class Http2HeadEncoder implements Http2HeadersEncoder, Http2HeadersEncoder.Configuration {

    /** RFC 7541, section 6.3: sets the size of the dynamic table to 0. */
    private static final byte NO_TABLE = 0x20;

    private boolean isTableEmpty;
    private long maxHeaderListSize = Http2CodecUtil.MAX_HEADER_LIST_SIZE;
    private long maxHeaderTableSize;

    @Override
    public void encodeHeaders(int streamId, Http2Headers headers, ByteBuf out) {
        if (!isTableEmpty) {
            isTableEmpty = true;
            out.writeByte(NO_TABLE);
        }
        if (headers instanceof Http2Head head) {
            out.writeBytes(head.block()).writeBytes(HttpDate.headerBlock());
            return;
        }
        var block = new ByteArrayOutputStream(64);
        for (Map.Entry<CharSequence, CharSequence> header : headers) {
            if (header.getKey().toString().equals(":status")) {
                Http2Head.putStatus(block, header.getValue().toString());
            } else {
                Http2Head.put(
                        block, header.getKey().toString(), header.getValue().toString());
            }
        }
        out.writeBytes(block.toByteArray());
    }

    @Override
    public Configuration configuration() {
        return this;
    }

    @Override
    public void maxHeaderTableSize(long max) {
        maxHeaderTableSize = max;
        // A client that changed the size expects an update.
        isTableEmpty = false;
    }

    @Override
    public long maxHeaderTableSize() {
        return maxHeaderTableSize;
    }

    @Override
    public void maxHeaderListSize(long max) {
        maxHeaderListSize = max;
    }

    @Override
    public long maxHeaderListSize() {
        return maxHeaderListSize;
    }
}
