package io.cairn.server.http.config;

import io.cairn.server.config.history.HistoryEntry;
import org.jspecify.annotations.Nullable;

/**
 * A change of a configuration with its content, in version 3.
 *
 * @param type always null, as in Nacos
 */
public record HistoryDetail(
        String id,
        String namespaceId,
        String groupName,
        String dataId,
        @Nullable String md5,
        @Nullable String type,
        String appName,
        long createTime,
        long modifyTime,
        @Nullable String srcIp,
        @Nullable String srcUser,
        String opType,
        String publishType,
        @Nullable String content,
        String encryptedDataKey,
        String grayName,
        @Nullable String extInfo) {

    public static HistoryDetail of(HistoryEntry entry) {
        return new HistoryDetail(
                Long.toString(entry.id()),
                entry.key().namespace().id(),
                entry.key().group(),
                entry.key().dataId(),
                entry.md5(),
                null,
                entry.appName(),
                entry.at().toEpochMilli(),
                entry.at().toEpochMilli(),
                entry.sourceIp(),
                entry.sourceUser(),
                entry.operation().letter(),
                entry.publishType(),
                entry.content(),
                entry.encryptedDataKey(),
                entry.grayName() == null ? "" : entry.grayName(),
                entry.extInfo());
    }
}
