package io.cairn.api.wire.config;

import io.cairn.api.wire.JsonInput;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores a configuration.
 *
 * @param casMd5 the expected digest of the stored content; null for any content
 * @param additions attributes by name, such as {@code type}, {@code appName}, {@code tag} and {@code betaIps}
 */
public record ConfigPublishRequest(
        @Nullable String dataId,
        @Nullable String group,
        @Nullable String tenant,
        @Nullable String content,
        @Nullable String casMd5,
        Map<String, String> additions) {

    public ConfigPublishRequest {
        additions = Map.copyOf(additions);
    }

    public static ConfigPublishRequest read(JsonInput in) {
        String dataId = null;
        String group = null;
        String tenant = null;
        String content = null;
        String casMd5 = null;
        String topLevelType = null;
        Map<String, String> additions = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "dataId" -> dataId = in.text();
                case "group" -> group = in.text();
                case "tenant" -> tenant = in.text();
                case "content" -> content = in.text();
                case "casMd5" -> casMd5 = in.text();
                case "additionMap" -> additions = in.texts();
                // The Node SDK sends the type here instead of in the map.
                case "type" -> topLevelType = in.text();
                default -> in.skip();
            }
        }
        Map<String, String> all = additions == null ? new HashMap<>() : additions;
        if (topLevelType != null) {
            all.putIfAbsent("type", topLevelType);
        }
        return new ConfigPublishRequest(dataId, group, tenant, content, casMd5, all);
    }

    public byte[] toJson() {
        return new ConfigQueryRequest(dataId, group, tenant, null)
                .fields(256 + (content == null ? 0 : content.length()))
                .text("content", content)
                .text("casMd5", casMd5)
                .texts("additionMap", additions)
                .text("module", "config")
                .toBytes();
    }
}
