package io.cairn.server.http.config;

import io.cairn.server.config.history.HistoryEntry;
import org.jspecify.annotations.Nullable;

/**
 * A change of a configuration in version 3.
 *
 * @param md5 null in a list
 * @param type always null, as in Nacos
 */
public record History(
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
        String publishType) {

    public static History of(HistoryEntry entry) {
        return of(entry, null);
    }

    static History of(HistoryEntry entry, @Nullable String md5) {
        return new History(
                Long.toString(entry.id()),
                entry.key().namespace().id(),
                entry.key().group(),
                entry.key().dataId(),
                md5,
                null,
                entry.appName(),
                entry.at().toEpochMilli(),
                entry.at().toEpochMilli(),
                entry.sourceIp(),
                entry.sourceUser(),
                entry.operation().letter(),
                entry.publishType());
    }
}
