package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http2.Http2Settings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request of an HTTP/1.1 client to go on in HTTP/2 (RFC 7540, section 3.2), as Java's own client makes it. */
final class Http2Upgrade {

    private static final byte[] SWITCHING =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);
    private static final int ENTRY_BYTES = 6;

    private Http2Upgrade() {}

    /** The settings of a client that asks for HTTP/2; null when it does not ask, or not in the proper form. */
    static @Nullable Http2Settings settings(HttpHeaders headers) {
        if (!headers.containsValue("Upgrade", "h2c", true)
                || !headers.containsValue("Connection", "Upgrade", true)
                || !headers.containsValue("Connection", "HTTP2-Settings", true)) {
            return null;
        }
        List<String> encoded = headers.getAll("HTTP2-Settings");
        return encoded.size() == 1 ? read(encoded.get(0)) : null;
    }

    private static @Nullable Http2Settings read(String encoded) {
        try {
            ByteBuffer frame = ByteBuffer.wrap(Base64.getUrlDecoder().decode(encoded.strip()));
            if (frame.remaining() % ENTRY_BYTES != 0) {
                return null;
            }
            Http2Settings settings = new Http2Settings();
            while (frame.hasRemaining()) {
                settings.put((char) frame.getShort(), Long.valueOf(Integer.toUnsignedLong(frame.getInt())));
            }
            return settings;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    static ByteBuf switching() {
        return Unpooled.wrappedBuffer(SWITCHING);
    }
}
