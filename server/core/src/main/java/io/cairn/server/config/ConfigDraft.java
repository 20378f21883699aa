package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.InvalidConfigException.Problem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The unchecked fields of a publish, from a request of any kind.
 *
 * @param tags comma separated labels
 * @param betaIps comma separated addresses of the receiving clients; blank for all
 * @param tag of the receiving clients; blank for all
 */
public record ConfigDraft(
        @Nullable String dataId,
        @Nullable String group,
        @Nullable String tenant,
        @Nullable String content,
        @Nullable String expectedMd5,
        @Nullable String type,
        @Nullable String appName,
        @Nullable String tags,
        @Nullable String description,
        @Nullable String use,
        @Nullable String effect,
        @Nullable String schema,
        @Nullable String encryptedDataKey,
        @Nullable String betaIps,
        @Nullable String tag) {

    private static final int MAX_TAGS = 5;
    private static final int MAX_TAG = 64;
    private static final int MAX_DESCRIPTION = 128;
    private static final int MAX_USE = 32;
    private static final int MAX_EFFECT = 32;
    private static final int MAX_SCHEMA = 32768;
    private static final int MAX_APP_NAME = 128;
    private static final int MAX_ENCRYPTED_DATA_KEY = 1024;

    public static Builder named(@Nullable String dataId, @Nullable String group, @Nullable String tenant) {
        return new Builder(dataId, group, tenant);
    }

    /** @throws CairnException {@code INVALID_PARAMETER} with field and limit */
    public PublishConfig check(ConfigLimits limits, Author by) {
        ConfigKey key = key(dataId, group, tenant);
        if (content == null || content.isBlank()) {
            throw invalid("content is blank : " + content);
        }
        ConfigAttributes attributes = attributes();
        GrayRule gray = GrayRule.asked(betaIps, tag).orElse(null);
        if (content.length() > limits.maxContentBytes()) {
            throw invalid("invalid content, over " + limits.maxContentBytes());
        }
        byte[] utf8 = content.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > limits.maxContentBytes()) {
            throw invalid("invalid content, over " + limits.maxContentBytes());
        }
        long message = messageBytes(utf8, limits.maxMessageBytes());
        if (message > limits.maxMessageBytes()) {
            throw invalid("invalid content, its message to a client would be " + message + " bytes, over "
                    + limits.maxMessageBytes());
        }
        String expected = expectedMd5 == null || expectedMd5.isBlank() ? null : expectedMd5;
        return new PublishConfig(key, utf8, ContentDigest.of(utf8), expected, attributes, gray, by);
    }

    /** The key, with Nacos's text for a missing name. */
    public static ConfigKey key(@Nullable String dataId, @Nullable String group, @Nullable String tenant) {
        if (dataId == null || dataId.isBlank()) {
            throw new InvalidConfigException(Problem.NAME_MISSING, "invalid dataId : " + dataId);
        }
        if (group == null || group.isBlank()) {
            throw new InvalidConfigException(Problem.NAME_MISSING, "invalid group : " + group);
        }
        return new ConfigKey(Namespace.ofNullable(tenant), group, dataId);
    }

    private ConfigAttributes attributes() {
        List<String> labels = null;
        if (tags != null) {
            labels = Stream.of(tags.split(","))
                    .map(String::trim)
                    .filter(tag -> !tag.isEmpty())
                    .distinct()
                    .toList();
            if (labels.size() > MAX_TAGS) {
                throw invalid("too much config_tags, over " + MAX_TAGS);
            }
            for (String label : labels) {
                if (label.length() > MAX_TAG) {
                    throw new InvalidConfigException(Problem.TAG_REFUSED, "too long tag, over " + MAX_TAG);
                }
            }
        }
        limit("desc", description, MAX_DESCRIPTION);
        limit("use", use, MAX_USE);
        limit("effect", effect, MAX_EFFECT);
        limit("schema", schema, MAX_SCHEMA);
        limit("appName", appName, MAX_APP_NAME);
        limit("encryptedDataKey", encryptedDataKey, MAX_ENCRYPTED_DATA_KEY);
        return new ConfigAttributes(
                ConfigType.ofWireName(type),
                appName,
                description,
                use,
                effect,
                schema,
                labels,
                encryptedDataKey == null ? "" : encryptedDataKey);
    }

    private static void limit(String name, @Nullable String value, int maxLength) {
        if (value != null && value.length() > maxLength) {
            throw invalid("too long " + name + ", over " + maxLength);
        }
    }

    /** An upper bound of the response: the content with JSON escapes, and the other fields. */
    private long messageBytes(byte[] utf8, int limit) {
        long bytes = utf8.length + 2_048L + (encryptedDataKey == null ? 0 : encryptedDataKey.length() * 6L);
        if (utf8.length * 6L + bytes < limit) {
            return bytes;
        }
        for (byte c : utf8) {
            if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') {
                bytes++;
            } else if (c >= 0 && c < ' ') {
                bytes += 5;
            }
        }
        return bytes;
    }

    private static CairnException invalid(String message) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, message);
    }

    /** Unset fields are null. Not thread-safe. */
    public static final class Builder {

        private final @Nullable String dataId;
        private final @Nullable String group;
        private final @Nullable String tenant;
        private @Nullable String content;
        private @Nullable String expectedMd5;
        private @Nullable String type;
        private @Nullable String appName;
        private @Nullable String tags;
        private @Nullable String description;
        private @Nullable String use;
        private @Nullable String effect;
        private @Nullable String schema;
        private @Nullable String encryptedDataKey;
        private @Nullable String betaIps;
        private @Nullable String tag;

        private Builder(@Nullable String dataId, @Nullable String group, @Nullable String tenant) {
            this.dataId = dataId;
            this.group = group;
            this.tenant = tenant;
        }

        public Builder content(@Nullable String text) {
            content = text;
            return this;
        }

        /** The md5 of the content to replace; null or blank for any. */
        public Builder expectedMd5(@Nullable String md5) {
            expectedMd5 = md5;
            return this;
        }

        /**
         * The attributes by their names on every wire: {@code type}, {@code appName}, {@code desc}, {@code use}, {@code effect},
         * {@code schema} and {@code encryptedDataKey}.
         *
         * @param tagsName of the labels on this wire
         * @param field finds a field by name, or null
         */
        public Builder attributes(String tagsName, Function<String, @Nullable String> field) {
            type = field.apply("type");
            appName = field.apply("appName");
            tags = field.apply(tagsName);
            description = field.apply("desc");
            use = field.apply("use");
            effect = field.apply("effect");
            schema = field.apply("schema");
            encryptedDataKey = field.apply("encryptedDataKey");
            return this;
        }

        /** The attributes of a published content. */
        public Builder attributes(ConfigAttributes known) {
            type = known.type().wireName();
            appName = known.appName();
            tags = known.tags() == null ? null : String.join(",", known.tags());
            description = known.description();
            use = known.use();
            effect = known.effect();
            schema = known.schema();
            encryptedDataKey = known.encryptedDataKey();
            return this;
        }

        /** The receiving clients; both null or blank for all. */
        public Builder clients(@Nullable String addresses, @Nullable String tagOfClients) {
            betaIps = addresses;
            tag = tagOfClients;
            return this;
        }

        public ConfigDraft build() {
            return new ConfigDraft(
                    dataId,
                    group,
                    tenant,
                    content,
                    expectedMd5,
                    type,
                    appName,
                    tags,
                    description,
                    use,
                    effect,
                    schema,
                    encryptedDataKey,
                    betaIps,
                    tag);
        }
    }
}
