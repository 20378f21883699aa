package io.cairn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One request over HTTP/2 and its response, on one stream. */
final class Http2Exchange extends HttpExchange {

    final Http2Stream stream;
    private final Http2Headers head;
    /** The bytes of the response that the client has not read. */
    long unsentBytes;
    /** The bytes taken for the head, until the response. */
    int headTaken;
    /** The bytes of the head that need no memory from the budget. */
    int headFree;
    /** Whether the last check found an incomplete body. */
    boolean isSlow;

    /** @param head with a method and a path */
    Http2Exchange(Http2Stream stream, Http2Headers head) {
        this.stream = stream;
        this.head = head;
    }

    /** Whether the server must respond next. */
    boolean isOwed() {
        return request != null && (upload == null || !upload.isAwaited());
    }

    @Override
    String method() {
        return Objects.requireNonNull(head.method()).toString();
    }

    @Override
    String target() {
        return Objects.requireNonNull(head.path()).toString();
    }

    @Override
    long announcedBytes() {
        return head.getLong(HttpHeaderNames.CONTENT_LENGTH, -1);
    }

    @Override
    boolean isContinueExpected() {
        return head.contains(HttpHeaderNames.EXPECT, "100-continue", true);
    }

    /** HTTP/2 names are in lower case; the host is a pseudo-header, and cookies may be split. */
    @Override
    public @Nullable String apply(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        CharSequence value = head.get(lower);
        if (value == null) {
            value = lower.equals("host") ? head.authority() : null;
        } else if (lower.equals("cookie")) {
            value = String.join("; ", head.getAll(lower));
        }
        return value == null ? null : value.toString();
    }
}
