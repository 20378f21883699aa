package io.cairn.server.config.history;

import io.cairn.api.config.ConfigKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a configuration or gray release in the history.
 *
 * @param id higher for later changes
 * @param configId of the changed row
 * @param grayName null for the version for all clients
 * @param content before an update or delete, after an insert; null in lists
 * @param extInfo attributes without a column, as JSON: {@code type}, {@code config_tags}, {@code src_user}, {@code c_desc},
 *     {@code c_use}, {@code effect}, {@code c_schema}; of a gray release {@code gray_name}, {@code gray_rule}, {@code src_user}
 */
public record HistoryEntry(
        long id,
        long configId,
        ConfigKey key,
        HistoryOperation operation,
        @Nullable String grayName,
        String appName,
        @Nullable String content,
        @Nullable String md5,
        String encryptedDataKey,
        @Nullable String extInfo,
        @Nullable String sourceUser,
        @Nullable String sourceIp,
        Instant at) {

    /** On the wire: {@code formal} for all clients, {@code gray} for some. */
    public String publishType() {
        return grayName == null ? "formal" : "gray";
    }
}
