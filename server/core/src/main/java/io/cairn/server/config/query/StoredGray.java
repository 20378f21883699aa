package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.GrayRule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

public record StoredGray(
        long id,
        ConfigKey key,
        GrayRule rule,
        String content,
        String md5,
        String encryptedDataKey,
        String appName,
        Instant createdAt,
        Instant modifiedAt,
        @Nullable String sourceUser,
        @Nullable String sourceIp) {

    /** Null for a plain content. */
    public @Nullable String keyForReaders() {
        return encryptedDataKey.isBlank() ? null : encryptedDataKey;
    }
}
