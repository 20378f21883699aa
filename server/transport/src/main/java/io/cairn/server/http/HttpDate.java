package io.cairn.server.http;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates as HTTP spells them. Thread-safe. */
public final class HttpDate {

    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private static volatile Line current = new Line(0);

    private HttpDate() {}

    /** That moment, given in epoch milliseconds. */
    public static String of(long epochMillis) {
        return FORMAT.format(Instant.ofEpochMilli(epochMillis));
    }

    /** The {@code Date} header of an answer sent now, as a line with its end; formatted once a second. */
    static byte[] headerLine() {
        return current().bytes;
    }

    /** The same header as HTTP/2 sends it. */
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
