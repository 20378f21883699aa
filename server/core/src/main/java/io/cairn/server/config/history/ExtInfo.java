package io.cairn.server.config.history;

import io.cairn.api.config.ConfigType;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.TypeOfName;
import io.cairn.server.config.query.StoredConfig;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the attributes in a history entry's JSON; missing or unreadable ones are absent. */
final class ExtInfo {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final JsonNode node;

    private ExtInfo(JsonNode node) {
        this.node = node;
    }

    static ExtInfo of(HistoryEntry entry) {
        String text = entry.extInfo();
        try {
            return new ExtInfo(text == null || text.isBlank() ? JSON.createObjectNode() : JSON.readTree(text));
        } catch (JacksonException e) {
            return new ExtInfo(JSON.createObjectNode());
        }
    }

    /** True for entries of Nacos before 2.5. */
    boolean isEmpty() {
        return node.isEmpty();
    }

    /** The present attributes of the configuration; an absent one has a type by its name alone. */
    static ConfigAttributes present(HistoryEntry entry, Optional<StoredConfig> stored) {
        return new ConfigAttributes(
                stored.map(StoredConfig::type)
                        .orElseGet(() -> TypeOfName.of(entry.key().dataId())),
                entry.appName(),
                stored.map(StoredConfig::description).orElse(null),
                stored.map(StoredConfig::use).orElse(null),
                stored.map(StoredConfig::effect).orElse(null),
                null,
                null,
                entry.encryptedDataKey());
    }

    ConfigAttributes attributes(HistoryEntry entry) {
        String tags = text("config_tags");
        String schema = text("c_schema");
        return new ConfigAttributes(
                ConfigType.ofWireName(text("type")),
                entry.appName(),
                text("c_desc"),
                text("c_use"),
                text("effect"),
                // Removes a present schema.
                schema == null ? "" : schema,
                tags == null || tags.isBlank() ? List.of() : List.of(tags.split(",")),
                entry.encryptedDataKey());
    }

    /** The gray release's rule; without a stored one, a rule that matches no client. */
    GrayRule rule(String grayName) {
        String json = text("gray_rule");
        return GrayRule.read(grayName, json == null ? "" : json);
    }

    private @Nullable String text(String field) {
        return node.path(field).asString(null);
    }
}
