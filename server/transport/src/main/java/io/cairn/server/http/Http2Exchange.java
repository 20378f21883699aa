package io.cairn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One request over HTTP/2, which has a stream of its own. */
final class Http2Exchange extends HttpExchange {

    final Http2Stream stream;
    private final Http2Headers head;
    /** Bytes of the response that the client has not taken. */
    long unsentBytes;
    /** Bytes that were taken from the memory budget for a large head, until the request is answered. */
    int headTaken;
    /** Whether the body was under way already at the last check. */
    boolean isSlow;

    /** @param head with a method and a path */
    Http2Exchange(Http2Stream stream, Http2Headers head) {
        this.stream = stream;
        this.head = head;
    }

    /** Whether it is the server's turn. */
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

    /** Names are in lower case in HTTP/2; the host has a field of its own, and cookies may be in several. */
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
