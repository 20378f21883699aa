package io.cairn.spring.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.config.ConfigDataResource;

/**
 * An imported configuration: {@code cairn:orders.yaml}, {@code cairn:orders.yaml?group=SHOP&namespace=test},
 * {@code cairn:orders?type=yaml}. Immutable.
 */
final class ImportedConfig extends ConfigDataResource {

    private static final String EXPECTED = " (expected: cairn:dataId?group=...&namespace=...&type=...)";

    private static final Set<String> TYPES = Set.of("yaml", "yml", "json", "properties", "xml");

    private final CairnClientProperties properties;
    private final Application application;
    private final ConfigKey key;
    private final @Nullable String type;
    private final boolean optional;

    private ImportedConfig(
            CairnClientProperties properties,
            Application application,
            ConfigKey key,
            @Nullable String type,
            boolean optional) {
        super(optional);
        this.properties = properties;
        this.application = application;
        this.key = key;
        this.type = type;
        this.optional = optional;
    }

    /**
     * @param location the text after {@code cairn:}
     * @throws IllegalArgumentException with the value and the expected format
     */
    static ImportedConfig parse(
            String location, CairnClientProperties properties, Application application, boolean optional) {
        URI uri;
        try {
            uri = new URI(location.replace(" ", "%20"));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("spring.config.import: 'cairn:" + location + '\'' + EXPECTED, e);
        }
        String dataId = uri.getPath();
        if (dataId == null || dataId.isBlank() || uri.getScheme() != null || uri.getHost() != null) {
            throw new IllegalArgumentException("spring.config.import: 'cairn:" + location + '\'' + EXPECTED);
        }
        if (uri.getFragment() != null) {
            throw new IllegalArgumentException(
                    "spring.config.import: 'cairn:" + location + "' (expected: no '#', which is written %23)");
        }
        Map<String, String> query = query(location, uri.getRawQuery());
        String namespace = query.getOrDefault("namespace", properties.namespace());
        String type = query.get("type");
        if (type != null && !TYPES.contains(type.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("spring.config.import: 'cairn:" + location + "', type: '" + type
                    + "' (expected: yaml, json, properties or xml)");
        }
        String group = query.getOrDefault("group", ConfigKey.DEFAULT_GROUP);
        return new ImportedConfig(
                properties, application, new ConfigKey(Namespace.ofNullable(namespace), group, dataId), type, optional);
    }

    private static Map<String, String> query(String location, @Nullable String query) {
        Map<String, String> values = new LinkedHashMap<>();
        if (query == null) {
            return values;
        }
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (equals < 0 || !(name.equals("group") || name.equals("namespace") || name.equals("type"))) {
                throw new IllegalArgumentException(
                        "spring.config.import: 'cairn:" + location + "', '" + name + '\'' + EXPECTED);
            }
            values.put(name, URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return values;
    }

    CairnClientProperties properties() {
        return properties;
    }

    Application application() {
        return application;
    }

    ConfigKey key() {
        return key;
    }

    boolean optional() {
        return optional;
    }

    /** The requested type, otherwise the extension of the data id, otherwise properties. */
    String format() {
        if (type != null) {
            return type.toLowerCase(Locale.ROOT);
        }
        String dataId = key.dataId();
        int dot = dataId.lastIndexOf('.');
        String ending = dot < 0 ? "" : dataId.substring(dot + 1).toLowerCase(Locale.ROOT);
        return TYPES.contains(ending) ? ending : "properties";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ImportedConfig that
                && key.equals(that.key)
                && Objects.equals(type, that.type)
                && properties.equals(that.properties);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return "cairn:" + key;
    }
}
