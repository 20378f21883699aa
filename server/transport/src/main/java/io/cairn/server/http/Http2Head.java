package io.cairn.server.http;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Status and headers of a response for HTTP/2, without the date. Encoded once for all connections, because it adds nothing
 * to their dynamic tables (RFC 7541, section 6.2.2). Immutable.
 */
final class Http2Head extends DefaultHttp2Headers {

    /** Entries of the static table. */
    private static final Map<String, Integer> KNOWN_STATUS =
            Map.of("200", 8, "204", 9, "206", 10, "304", 11, "400", 12, "404", 13, "500", 14);

    private static final int STATUS = 8;
    private static final int DATE = 33;
    private static final Map<String, Integer> KNOWN_NAMES = Map.ofEntries(
            Map.entry(":status", STATUS),
            Map.entry("allow", 22),
            Map.entry("cache-control", 24),
            Map.entry("content-disposition", 25),
            Map.entry("content-encoding", 26),
            Map.entry("content-length", 28),
            Map.entry("content-type", 31),
            Map.entry("date", DATE),
            Map.entry("etag", 34),
            Map.entry("expires", 36),
            Map.entry("last-modified", 44),
            Map.entry("location", 46),
            Map.entry("retry-after", 53),
            Map.entry("set-cookie", 55),
            Map.entry("vary", 59),
            Map.entry("www-authenticate", 61));

    /** Headers of a connection, which HTTP/2 does not allow. */
    private static final Set<String> OF_CONNECTIONS =
            Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

    private final transient byte[] block;

    private Http2Head(int status, byte[] block) {
        super(false, 2);
        status(Integer.toString(status));
        this.block = block;
    }

    /** @param head status line and headers of the HTTP/1.1 response, with line ends */
    static Http2Head of(int status, byte[] head) {
        var block = new ByteArrayOutputStream(head.length);
        putStatus(block, Integer.toString(status));
        String lines = new String(head, StandardCharsets.ISO_8859_1);
        int start = lines.indexOf('\n') + 1;
        while (start < lines.length()) {
            int end = lines.indexOf('\r', start);
            int colon = lines.indexOf(':', start);
            String name = lines.substring(start, colon).toLowerCase(Locale.ROOT);
            if (!OF_CONNECTIONS.contains(name)) {
                put(block, name, lines.substring(colon + 1, end).strip());
            }
            start = end + 2;
        }
        return new Http2Head(status, block.toByteArray());
    }

    /** The encoded headers without the date; must not be changed. */
    byte[] block() {
        return block;
    }

    static void putStatus(ByteArrayOutputStream block, String status) {
        Integer known = KNOWN_STATUS.get(status);
        if (known == null) {
            put(block, ":status", status);
        } else {
            block.write(0x80 | known);
        }
    }

    /** A literal without indexing, with the name from the static table if possible. */
    static void put(ByteArrayOutputStream block, String name, String value) {
        Integer known = KNOWN_NAMES.get(name);
        if (known == null) {
            block.write(0);
            putText(block, name);
        } else {
            putNumber(block, 0, 4, known);
        }
        putText(block, value);
    }

    static byte[] date(String date) {
        var block = new ByteArrayOutputStream(32);
        put(block, "date", date);
        return block.toByteArray();
    }

    private static void putText(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        putNumber(block, 0, 7, bytes.length);
        block.writeBytes(bytes);
    }

    /** RFC 7541, section 5.1. */
    private static void putNumber(ByteArrayOutputStream block, int flags, int prefixBits, int number) {
        int most = (1 << prefixBits) - 1;
        if (number < most) {
            block.write(flags | number);
            return;
        }
        block.write(flags | most);
        int rest = number - most;
        while (rest > 0x7f) {
            block.write(rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        block.write(rest);
    }
}
