package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.cairn.server.config.history.HistoryEntry;
import org.jspecify.annotations.Nullable;

/** A change with its content, in version 3. */
public record HistoryDetail(
        @JsonUnwrapped History change,
        @Nullable String content,
        String encryptedDataKey,
        String grayName,
        @Nullable String extInfo) {

    public static HistoryDetail of(HistoryEntry entry) {
        return new HistoryDetail(
                History.of(entry, entry.md5()),
                entry.content(),
                entry.encryptedDataKey(),
                entry.grayName() == null ? "" : entry.grayName(),
                entry.extInfo());
    }
}
