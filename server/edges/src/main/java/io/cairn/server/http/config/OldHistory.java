package io.cairn.server.http.config;

import io.cairn.server.config.history.HistoryEntry;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * A change in versions 1 and 2.
 *
 * @param lastId always -1, as in Nacos
 * @param tenant the namespace in the form of the version
 * @param md5 null in a list, as content and key
 */
public record OldHistory(
        String id,
        long lastId,
        String dataId,
        String group,
        String tenant,
        String appName,
        @Nullable String md5,
        @Nullable String content,
        @Nullable String srcIp,
        @Nullable String srcUser,
        String opType,
        String publishType,
        String grayName,
        @Nullable String extInfo,
        String createdTime,
        String lastModifiedTime,
        @Nullable String encryptedDataKey) {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneOffset.UTC);

    public static OldHistory listed(HistoryEntry entry) {
        return listed(entry, OldConfig.tenant(entry.key().namespace()));
    }

    public static OldHistory listed(HistoryEntry entry, String tenant) {
        return of(entry, tenant, null, null, null);
    }

    public static OldHistory whole(HistoryEntry entry) {
        return whole(entry, OldConfig.tenant(entry.key().namespace()));
    }

    public static OldHistory whole(HistoryEntry entry, String tenant) {
        return of(entry, tenant, entry.md5(), entry.content(), entry.encryptedDataKey());
    }

    private static OldHistory of(
            HistoryEntry entry, String tenant, @Nullable String md5, @Nullable String content, @Nullable String key) {
        return new OldHistory(
                Long.toString(entry.id()),
                -1,
                entry.key().dataId(),
                entry.key().group(),
                tenant,
                entry.appName(),
                md5,
                content,
                entry.sourceIp(),
                entry.sourceUser(),
                entry.operation().letter(),
                entry.publishType(),
                entry.grayName() == null ? "" : entry.grayName(),
                entry.extInfo(),
                time(entry.at()),
                time(entry.at()),
                key);
    }

    public static String time(Instant at) {
        return TIME.format(at);
    }
}
