package io.cairn.client.config;

import io.cairn.api.config.ConfigType;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** Reads a content of any supported format into a tree of maps, lists and scalars, and the tree into a record. */
final class ContentReader {

    private static final int MAX_ALIASES = 50;
    private static final int MAX_CHARACTERS = 16 * 1024 * 1024;

    private ContentReader() {}

    static <T> T read(ConfigContent content, Class<T> type) {
        return RecordBinder.bind(tree(content), type, content.key().toString());
    }

    private static @Nullable Object tree(ConfigContent content) {
        return switch (format(content)) {
            case PROPERTIES -> nested(content.asProperties());
            // JSON is a subset of YAML.
            case JSON, YAML, TEXT, UNSET -> yaml(content);
            case XML, HTML, TOML ->
                throw new IllegalArgumentException(content.key() + ": type "
                        + content.type().wireName() + " (expected: json, yaml or properties)");
        };
    }

    private static ConfigType format(ConfigContent content) {
        if (content.type() != ConfigType.TEXT && content.type() != ConfigType.UNSET) {
            return content.type();
        }
        String name = content.key().dataId().toLowerCase(Locale.ROOT);
        return name.endsWith(".properties") ? ConfigType.PROPERTIES : ConfigType.YAML;
    }

    private static @Nullable Object yaml(ConfigContent content) {
        try {
            LoadSettings settings = LoadSettings.builder()
                    .setLabel(content.key().toString())
                    .setSchema(new CoreSchema())
                    .setCodePointLimit(MAX_CHARACTERS)
                    .setMaxAliasesForCollections(MAX_ALIASES)
                    .build();
            return new Load(settings).loadFromString(content.text());
        } catch (YamlEngineException e) {
            throw new IllegalArgumentException(content.key() + " is not valid YAML or JSON: " + e.getMessage(), e);
        }
    }

    /**
     * {@code a.b=1} and {@code a.c=2} become {@code a: {b: 1, c: 2}}; {@code a=3} is dropped in favour of the nested names.
     */
    private static Map<String, Object> nested(Properties properties) {
        Map<String, Object> root = new LinkedHashMap<>();
        Map<String, String> sorted = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> sorted.put(name, properties.getProperty(name)));
        sorted.forEach((name, value) -> put(root, name.split("\\.", -1), value));
        return root;
    }

    private static void put(Map<String, Object> root, String[] path, String value) {
        Map<String, Object> at = root;
        for (int i = 0; i < path.length - 1; i++) {
            Object next = at.get(path[i]);
            if (!(next instanceof Map<?, ?>)) {
                next = new LinkedHashMap<String, Object>();
                at.put(path[i], next);
            }
            @SuppressWarnings("unchecked")
            Map<String, Object> deeper = (Map<String, Object>) next;
            at = deeper;
        }
        at.putIfAbsent(path[path.length - 1], value);
    }
}
