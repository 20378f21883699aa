package io.cairn.server.http.config;

import io.cairn.server.config.query.StoredGray;
import org.jspecify.annotations.Nullable;

/** A gray release with its content, in version 3. Members of the configuration alone are null or 0. */
public record GrayConfig(
        String id,
        String namespaceId,
        String groupName,
        String dataId,
        String md5,
        @Nullable String type,
        String appName,
        long createTime,
        long modifyTime,
        String content,
        @Nullable String desc,
        @Nullable String encryptedDataKey,
        @Nullable String createUser,
        @Nullable String createIp,
        @Nullable String configTags,
        String grayName,
        String grayRule) {

    public static GrayConfig of(StoredGray gray) {
        return new GrayConfig(
                Long.toString(gray.id()),
                gray.key().namespace().id(),
                gray.key().group(),
                gray.key().dataId(),
                gray.md5(),
                null,
                gray.appName(),
                0,
                gray.modifiedAt().toEpochMilli(),
                gray.content(),
                null,
                gray.keyForReaders(),
                null,
                null,
                null,
                gray.rule().name(),
                gray.rule().toJson());
    }
}
