package io.cairn.server.http;

import io.cairn.server.compress.SharedCompression;
import io.cairn.server.sdk.Sdk;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Chooses between the plain and the compressed form of large answers (RFC 9110, section 12.5.3). An answer that many clients get is
 * compressed once.
 */
final class ResponseCompression {

    private static final String GZIP = "gzip";
    /** An old coding, which some clients announce that do not decompress. */
    private static final String SDCH = "sdch";

    private final SharedCompression compression;

    ResponseCompression(SharedCompression compression) {
        this.compression = compression;
    }

    /** Whether the client may get the response in another form, see {@link #choose}. */
    static boolean hasForms(HttpResponse response) {
        return SharedCompression.isLarge(response.body().length) && response.isCompressible();
    }

    /** The form of the response that this client gets; never fails. */
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

    /** Whether the weight is 0, which means that the client does not take it. */
    private static boolean isNever(String weight) {
        return weight.replace(" ", "").matches("q=0(\\.0*)?");
    }
}
