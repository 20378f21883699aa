package io.cairn.server.config.history;

import io.cairn.api.config.ConfigKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a configuration or of one of its gray releases, as the history keeps it. Immutable.
 *
 * @param id of this entry, higher for later changes
 * @param configId of the row that was changed
 * @param grayName of the gray release that was changed; null if the version for all clients was changed
 * @param content before an update or a delete, and the new one of an insert; null in lists without contents
 * @param md5 of the content
 * @param extInfo the attributes without a column of their own, as JSON: {@code type}, {@code config_tags},
 *     {@code src_user}, {@code c_desc}, {@code c_use}, {@code effect}, {@code c_schema}; of a gray release
 *     {@code gray_name}, {@code gray_rule}, {@code src_user}
 * @param at when it was changed
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

    /** The wire value for the audience of the content: {@code formal} for all clients, {@code gray} for some. */
    public String publishType() {
        return grayName == null ? "formal" : "gray";
    }
}
