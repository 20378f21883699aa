package io.cairn.server.http;

import io.cairn.server.compress.SharedCompression;
import io.cairn.server.sdk.Sdk;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Selects the plain or compressed form of large responses (RFC 9110, section 12.5.3). A shared response is compressed once.
 */
final class ResponseCompression {

    private static final String GZIP = "gzip";
    /** An obsolete encoding, announced by some clients that cannot decompress. */
    private static final String SDCH = "sdch";

    private final SharedCompression compression;

    ResponseCompression(SharedCompression compression) {
        this.compression = compression;
    }

    /** Whether a compressed form is possible. */
    static boolean hasForms(HttpResponse response) {
        return SharedCompression.isLarge(response.body().length) && response.isCompressible();
    }

    /** The form for this client; never fails. */
    CompletableFuture<HttpResponse> choose(@Nullable HttpRequest request, HttpResponse response) {
        return request != null && takesGzip(request.header("Accept-Encoding"), request.header("User-Agent"))
                ? response.compressed(compression::compress)
                : CompletableFuture.completedFuture(response.varying());
    }

    static boolean takesGzip(@Nullable String accepted, @Nullable String userAgent) {
        if (accepted == null) {
            return false;
        }
        boolean takes = false;
        for (String coding : accepted.toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = coding.split(";", 2);
            String name = parts[0].strip();
            if (name.equals(GZIP)) {
                takes = parts.length == 1 || !isNever(parts[1]);
            } else if (name.equals(SDCH) && !Sdk.of(userAgent).decompressesWithSdch()) {
                return false;
            }
        }
        return takes;
    }

    /** Whether the weight is 0, which excludes the encoding. */
    private static boolean isNever(String weight) {
        return weight.replace(" ", "").matches("q=0(\\.0*)?");
    }
}
