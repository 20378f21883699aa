package io.cairn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a body is cut into pieces on the wire. Netty reads {@code chunked} wherever it stands and takes anything else for no
 * body at all. A proxy that reads it otherwise would see the end of a request in another place, and what follows as another
 * request than we do; so whatever is not plainly chunked is refused.
 */
final class TransferCoding {

    private TransferCoding() {}

    /** The fault of the transfer coding that a request names; null when there is none. */
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
