package io.cairn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the transfer coding {@code chunked} only. Netty accepts {@code chunked} at any position and treats other codings
 * as an absent body. A proxy with another interpretation would see other request boundaries (request smuggling).
 */
final class TransferCoding {

    private TransferCoding() {}

    /** The error in a request's transfer coding; null for a valid request. */
    static @Nullable String fault(HttpHeaders headers) {
        if (!headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            return null;
        }
        List<String> named = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        return named.size() == 1 && named.get(0).equalsIgnoreCase("chunked")
                ? null
                : "Transfer-Encoding: '" + String.join(", ", named) + "' (expected: chunked)";
    }
}
