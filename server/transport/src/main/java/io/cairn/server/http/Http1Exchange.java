package io.cairn.server.http;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import org.jspecify.annotations.Nullable;

/** One request over HTTP/1.1 and its response. */
final class Http1Exchange extends HttpExchange {

    final HttpRequest head;
    /** Whether the connection can serve another request. */
    boolean keepAlive;

    Http1Exchange(HttpRequest head) {
        this.head = head;
    }

    @Override
    String method() {
        return head.method().name();
    }

    @Override
    String target() {
        return head.decoderResult().isFailure() ? "" : head.uri();
    }

    @Override
    long announcedBytes() {
        return HttpUtil.getContentLength(head, -1L);
    }

    @Override
    boolean isContinueExpected() {
        return HttpUtil.is100ContinueExpected(head);
    }

    @Override
    public @Nullable String apply(String name) {
        return head.headers().get(name);
    }
}
