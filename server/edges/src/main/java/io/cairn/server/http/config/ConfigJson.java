package io.cairn.server.http.config;

import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.Page;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.http.naming.NamingJson;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/** How versions 2 and 3 write pages, configurations and their history. */
public final class ConfigJson {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneOffset.UTC);

    private ConfigJson() {}

    /** A page whose items are JSON already. */
    public static byte[] page(Page<byte[]> page) {
        byte[] items = array(page.items());
        return new JsonOutput(items.length + 96)
                .number("totalCount", page.totalCount())
                .number("pageNumber", page.number())
                .number("pagesAvailable", page.pagesAvailable())
                .json("pageItems", items)
                .toBytes();
    }

    /** An array of what is JSON already. */
    public static byte[] array(Collection<byte[]> items) {
        return NamingJson.array(items);
    }

    /** A change as version 3 lists it. */
    public static byte[] history(HistoryEntry entry) {
        return basic(entry, false).toBytes();
    }

    /** A change as version 3 shows it by itself. */
    public static byte[] historyDetail(HistoryEntry entry) {
        return basic(entry, true)
                .textOrNull("content", entry.content())
                .textOrNull("encryptedDataKey", entry.encryptedDataKey())
                .textOrNull("grayName", entry.grayName() == null ? "" : entry.grayName())
                .textOrNull("extInfo", entry.extInfo())
                .toBytes();
    }

    private static JsonOutput basic(HistoryEntry entry, boolean withDigest) {
        return new JsonOutput(512)
                .text("id", Long.toString(entry.id()))
                .text("namespaceId", entry.key().namespace().id())
                .text("groupName", entry.key().group())
                .text("dataId", entry.key().dataId())
                .textOrNull("md5", withDigest ? entry.md5() : null)
                .json("type", "null")
                .text("appName", entry.appName())
                .number("createTime", entry.at().toEpochMilli())
                .number("modifyTime", entry.at().toEpochMilli())
                .textOrNull("srcIp", entry.sourceIp())
                .textOrNull("srcUser", entry.sourceUser())
                .text("opType", entry.operation().letter())
                .text("publishType", entry.publishType());
    }

    /** A change in the words of version 2; content, md5 and key are null in a list. */
    public static byte[] oldHistory(HistoryEntry entry, boolean inList) {
        return oldHistory(entry, tenant(entry.key().namespace()), inList);
    }

    /** The same, for who spells the namespace in his own way. */
    public static byte[] oldHistory(HistoryEntry entry, String tenant, boolean inList) {
        return new JsonOutput(512)
                .text("id", Long.toString(entry.id()))
                .number("lastId", -1)
                .text("dataId", entry.key().dataId())
                .text("group", entry.key().group())
                .text("tenant", tenant)
                .text("appName", entry.appName())
                .textOrNull("md5", inList ? null : entry.md5())
                .textOrNull("content", inList ? null : entry.content())
                .textOrNull("srcIp", entry.sourceIp())
                .textOrNull("srcUser", entry.sourceUser())
                .text("opType", entry.operation().letter())
                .text("publishType", entry.publishType())
                .text("grayName", entry.grayName() == null ? "" : entry.grayName())
                .textOrNull("extInfo", entry.extInfo())
                .text("createdTime", time(entry.at()))
                .text("lastModifiedTime", time(entry.at()))
                .textOrNull("encryptedDataKey", inList ? null : entry.encryptedDataKey())
                .toBytes();
    }

    /** The default namespace is the empty one in version 2. */
    public static String tenant(Namespace namespace) {
        return namespace.isDefault() ? "" : namespace.id();
    }

    /** A time as version 2 writes it. */
    public static String time(Instant at) {
        return TIME.format(at);
    }

    /** A configuration as version 3 lists it, with its releases for some clients. */
    public static byte[] config(StoredConfig config, List<ConfigEntry> grays) {
        return withGrays(basic(config), grays).toBytes();
    }

    /** A configuration as version 3 shows it by itself, with its releases for some clients. */
    public static byte[] configDetail(StoredConfig config, List<ConfigEntry> grays) {
        JsonOutput out = basic(config)
                .textOrNull("content", config.content())
                .textOrNull("desc", config.description())
                .text("encryptedDataKey", config.encryptedDataKey())
                .textOrNull("createUser", config.createUser())
                .textOrNull("createIp", config.createIp())
                .textOrNull("configTags", config.tags().isEmpty() ? null : String.join(",", config.tags()));
        return withGrays(out, grays).toBytes();
    }

    /** Adds a member that Nacos does not have, so only where there is something to say. */
    private static JsonOutput withGrays(JsonOutput out, List<ConfigEntry> grays) {
        return grays.isEmpty() ? out : out.objects("grayReleases", grays, ConfigJson::grayRelease);
    }

    private static void grayRelease(ConfigEntry release, JsonOutput out) {
        GrayRule rule = Objects.requireNonNull(release.gray(), "the rule of a gray release");
        out.text("grayName", rule.name())
                .text("grayRule", rule.toJson())
                .text("md5", release.digest().toString())
                .number("modifyTime", release.lastModifiedMillis());
    }

    private static JsonOutput basic(StoredConfig config) {
        return new JsonOutput(512)
                .text("id", Long.toString(config.id()))
                .text("namespaceId", config.key().namespace().id())
                .text("groupName", config.key().group())
                .text("dataId", config.key().dataId())
                .textOrNull("md5", config.md5())
                .text("type", config.type().wireName())
                .text("appName", config.appName())
                .number("createTime", config.createdAt().toEpochMilli())
                .number("modifyTime", config.modifiedAt().toEpochMilli());
    }

    /** A gray release as version 3 shows it: of what is not its own, nothing is told. */
    public static byte[] gray(StoredGray gray) {
        return new JsonOutput(512)
                .text("id", Long.toString(gray.id()))
                .text("namespaceId", gray.key().namespace().id())
                .text("groupName", gray.key().group())
                .text("dataId", gray.key().dataId())
                .text("md5", gray.md5())
                .json("type", "null")
                .text("appName", gray.appName())
                .number("createTime", 0)
                .number("modifyTime", gray.modifiedAt().toEpochMilli())
                .text("content", gray.content())
                .json("desc", "null")
                .json("encryptedDataKey", "null")
                .json("createUser", "null")
                .json("createIp", "null")
                .json("configTags", "null")
                .text("grayName", gray.rule().name())
                .text("grayRule", gray.rule().toJson())
                .toBytes();
    }

    /** What is in memory of a configuration, as version 3 lists a namespace. */
    public static byte[] entry(ConfigEntry entry) {
        return new JsonOutput(256)
                .text("id", "0")
                .text("namespaceId", entry.key().namespace().id())
                .text("groupName", entry.key().group())
                .text("dataId", entry.key().dataId())
                .json("md5", "null")
                .text("type", entry.type().wireName())
                .text("appName", "")
                .number("createTime", 0)
                .number("modifyTime", entry.lastModifiedMillis())
                .toBytes();
    }

    /** The same in the words of version 2. */
    public static byte[] oldEntry(ConfigEntry entry) {
        return new JsonOutput(256)
                .text("id", "0")
                .text("dataId", entry.key().dataId())
                .text("group", entry.key().group())
                .json("content", "null")
                .json("md5", "null")
                .json("encryptedDataKey", "null")
                .text("tenant", tenant(entry.key().namespace()))
                .text("appName", "")
                .text("type", entry.type().wireName())
                .number("lastModified", entry.lastModifiedMillis())
                .toBytes();
    }

    /** A configuration in the words of version 2. */
    public static byte[] oldConfig(StoredConfig config) {
        return new JsonOutput(512)
                .text("id", Long.toString(config.id()))
                .text("dataId", config.key().dataId())
                .text("group", config.key().group())
                .textOrNull("content", config.content())
                .text("md5", config.md5())
                .text("encryptedDataKey", config.encryptedDataKey())
                .text("tenant", tenant(config.key().namespace()))
                .text("appName", config.appName())
                .text("type", config.type().wireName())
                .toBytes();
    }
}
