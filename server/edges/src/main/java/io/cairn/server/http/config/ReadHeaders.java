package io.cairn.server.http.config;

import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpDate;
import io.cairn.server.http.HttpResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The headers of a content in versions 1 and 2. */
public final class ReadHeaders {

    private ReadHeaders() {}

    /** A response with these headers, without body and content type. */
    public static HttpResponse.Builder of(ConfigVersion version) {
        ConfigEntry entry = version.entry();
        GrayRule gray = entry.gray();
        String tag = gray == null ? null : gray.tag();
        return HttpResponse.status(200)
                .header("isBeta", gray != null && gray.isBeta() ? "true" : null)
                .header("tag", tag == null ? null : URLEncoder.encode(tag, StandardCharsets.UTF_8))
                .header("Config-Type", entry.type().wireName())
                .header("Content-MD5", entry.digest().toString())
                .notCached()
                .header("Last-Modified", HttpDate.of(entry.lastModifiedMillis()))
                .header("Encrypted-Data-Key", entry.keyForReaders());
    }
}
