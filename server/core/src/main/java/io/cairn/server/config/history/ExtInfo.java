package io.cairn.server.config.history;

import io.cairn.api.config.ConfigType;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.GrayRule;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the attributes that a history entry keeps as JSON; a missing or unreadable attribute is absent. */
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

    ConfigAttributes attributes(HistoryEntry entry) {
        String tags = text("config_tags");
        String schema = text("c_schema");
        return new ConfigAttributes(
                ConfigType.ofWireName(text("type")),
                entry.appName(),
                text("c_desc"),
                text("c_use"),
                text("effect"),
                // It had none: then the one that it has now goes.
                schema == null ? "" : schema,
                tags == null || tags.isBlank() ? List.of() : List.of(tags.split(",")),
                entry.encryptedDataKey());
    }

    /** The rule of the gray release of that name; a rule that matches no client if it was not kept. */
    GrayRule rule(String grayName) {
        String json = text("gray_rule");
        return GrayRule.read(grayName, json == null ? "" : json);
    }

    private @Nullable String text(String field) {
        return node.path(field).asString(null);
    }
}
