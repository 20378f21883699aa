package io.cairn.server.http.config;

import io.cairn.server.config.history.HistoryEntry;
import org.jspecify.annotations.Nullable;

/**
 * A change of a configuration in a list of version 3.
 *
 * @param md5 always null: a list leaves it out
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
        return new History(
                Long.toString(entry.id()),
                entry.key().namespace().id(),
                entry.key().group(),
                entry.key().dataId(),
                null,
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
