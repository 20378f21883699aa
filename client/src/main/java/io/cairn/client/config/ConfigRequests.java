package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.config.ConfigPublishRequest;
import io.cairn.api.wire.config.ConfigQueryAnswer;
import io.cairn.api.wire.config.ConfigQueryRequest;
import io.cairn.api.wire.config.ConfigRemoveRequest;
import io.cairn.client.internal.Refusals;
import io.cairn.client.internal.ServerLink;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends the requests about single configurations. */
final class ConfigRequests {

    /** The expected digest for a missing configuration. */
    static final String NO_CONTENT = "absent";

    private static final String CAS_REFUSED = "Cas publish";

    private final ServerLink link;

    ConfigRequests(ServerLink link) {
        this.link = link;
    }

    record Fetched(ConfigContent content, String serverMd5) {}

    CompletableFuture<Optional<Fetched>> fetch(ConfigKey key) {
        byte[] request = new ConfigQueryRequest(key.dataId(), key.group(), tenant(key), null).toJson();
        return link.request(MessageCatalog.CONFIG_QUERY_REQUEST, request, true).thenApply(answer -> read(key, answer));
    }

    private static Optional<Fetched> read(ConfigKey key, Payload payload) {
        ConfigQueryAnswer answer = JsonInput.read(payload, ConfigQueryAnswer::read);
        String text = answer.content();
        if (answer.answer().succeeded()) {
            if (text == null) {
                return Optional.empty();
            }
            ConfigContent content =
                    ConfigContent.fetched(key, text, ConfigType.ofWireName(answer.type()), Instant.now());
            String md5 = answer.md5();
            return Optional.of(
                    new Fetched(content, md5 == null ? content.digest().toString() : md5));
        }
        if (answer.answer().errorCode() == WireError.CONFIG_NOT_FOUND
                && !payload.type().equals(MessageCatalog.ERROR_RESPONSE)) {
            return Optional.empty();
        }
        throw Refusals.of("Reading " + key, answer.answer());
    }

    static ConfigType typeOf(String dataId) {
        int dot = dataId.lastIndexOf('.');
        String ending = dot < 0 ? "" : dataId.substring(dot + 1).toLowerCase(Locale.ROOT);
        return switch (ending) {
            case "yaml", "yml" -> ConfigType.YAML;
            case "html", "htm" -> ConfigType.HTML;
            case "json", "xml", "properties", "toml" -> ConfigType.ofWireName(ending);
            default -> ConfigType.TEXT;
        };
    }

    /** Completes with false when the stored content has another digest. */
    CompletableFuture<Boolean> publish(ConfigKey key, String text, ConfigType type, @Nullable String expectedMd5) {
        Map<String, String> additions = new HashMap<>();
        additions.put("type", type.wireName());
        byte[] request =
                new ConfigPublishRequest(key.dataId(), key.group(), tenant(key), text, expectedMd5, additions).toJson();
        // A repeated compare-and-set would find its own content and report a conflict.
        return link.request(MessageCatalog.CONFIG_PUBLISH_REQUEST, request, expectedMd5 == null)
                .thenApply(answer -> {
                    AnswerFields said = JsonInput.read(answer, AnswerFields::read);
                    if (said.succeeded()) {
                        return true;
                    }
                    if (expectedMd5 != null && said.message().startsWith(CAS_REFUSED)) {
                        return false;
                    }
                    throw Refusals.of("Publishing " + key, said);
                });
    }

    CompletableFuture<Void> delete(ConfigKey key) {
        byte[] request = new ConfigRemoveRequest(key.dataId(), key.group(), tenant(key), null).toJson();
        return link.request(MessageCatalog.CONFIG_REMOVE_REQUEST, request, true).thenApply(answer -> {
            AnswerFields said = JsonInput.read(answer, AnswerFields::read);
            if (!said.succeeded()) {
                throw Refusals.of("Deleting " + key, said);
            }
            return null;
        });
    }

    /** Nacos 2 uses an empty name for the default namespace of configurations. */
    static String tenant(ConfigKey key) {
        return key.namespace().isDefault() ? "" : key.namespace().id();
    }
}
