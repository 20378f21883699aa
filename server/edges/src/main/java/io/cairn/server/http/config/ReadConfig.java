package io.cairn.server.http.config;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import org.jspecify.annotations.Nullable;

/**
 * The content for a client of version 3: the members of the gRPC message. The reference uses the components; {@link #json} writes
 * the same members without an object for each answer, because clients poll it.
 */
public record ReadConfig(
        int resultCode,
        int errorCode,
        @Nullable String message,
        @Nullable String requestId,
        String content,
        @Nullable String encryptedDataKey,
        String contentType,
        String md5,
        long lastModified,
        @Nullable String tag,
        boolean beta,
        boolean success) {

    public static byte[] json(ConfigVersion version) {
        ConfigEntry entry = version.entry();
        GrayRule gray = entry.gray();
        return new JsonOutput(256 + version.length())
                .number("resultCode", 200)
                .number("errorCode", 0)
                .json("message", "null")
                .json("requestId", "null")
                .utf8("content", version.utf8())
                .textOrNull("encryptedDataKey", entry.keyForReaders())
                .text("contentType", entry.type().wireName())
                .text("md5", entry.digest().toString())
                .number("lastModified", entry.lastModifiedMillis())
                .textOrNull("tag", gray == null ? null : gray.tag())
                .flag("beta", gray != null && gray.isBeta())
                .flag("success", true)
                .toBytes();
    }
}
