package io.cairn.server.http;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates in the HTTP format. Thread-safe. */
public final class HttpDate {

    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private static volatile Line current = new Line(0);

    private HttpDate() {}

    public static String of(long epochMillis) {
        return FORMAT.format(Instant.ofEpochMilli(epochMillis));
    }

    /** The {@code Date} header of a response as a line with its end; formatted once a second. */
    static byte[] headerLine() {
        return current().bytes;
    }

    /** The same header for HTTP/2. */
    static byte[] headerBlock() {
        return current().block;
    }

    private static Line current() {
        long second = System.currentTimeMillis() / 1000;
        Line known = current;
        if (known.second != second) {
            known = new Line(second);
            current = known;
        }
        return known;
    }

    private static final class Line {

        private final long second;
        private final byte[] bytes;
        private final byte[] block;

        Line(long second) {
            this.second = second;
            String date = of(second * 1000);
            this.bytes = ("Date: " + date + "\r\n").getBytes(StandardCharsets.US_ASCII);
            this.block = Http2Head.date(date);
        }
    }
}
