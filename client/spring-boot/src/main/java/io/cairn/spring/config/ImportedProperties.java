package io.cairn.spring.config;

import io.cairn.api.config.ConfigKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The property sources that one imported configuration makes, one for each of its documents; they stay where they are in
 * the environment, and what they hold follows the configuration. Thread-safe.
 */
final class ImportedProperties {

    private final ImportedConfig config;
    private final SharedClient client;
    private List<ImportedDocument> documents = List.of();

    ImportedProperties(ImportedConfig config, SharedClient client) {
        this.config = config;
        this.client = client;
    }

    ConfigKey key() {
        return config.key();
    }

    SharedClient client() {
        return client;
    }

    /** Reads the configuration for the first time. */
    synchronized List<? extends PropertySource<?>> read(String content) throws IOException {
        List<ImportedDocument> all = new ArrayList<>();
        List<EnumerablePropertySource<?>> parsed = parse(content);
        for (int i = 0; i < parsed.size(); i++) {
            all.add(new ImportedDocument(config + (i == 0 ? "" : "#" + (i + 1)), parsed.get(i), this));
        }
        documents = List.copyOf(all);
        return documents;
    }

    /**
     * Takes a new content.
     *
     * @return the names of the properties that have another value now, or none any more
     * @throws IOException when it cannot be read; everything stays as it was
     */
    synchronized Set<String> change(String content) throws IOException {
        List<EnumerablePropertySource<?>> parsed = parse(content);
        Set<String> changed = new HashSet<>();
        for (int i = 0; i < documents.size(); i++) {
            changed.addAll(documents.get(i).become(i < parsed.size() ? parsed.get(i) : new Nothing()));
        }
        return changed;
    }

    /** Whether a content has more documents than there are places for: those beyond need a restart. */
    synchronized boolean outgrown(String content) throws IOException {
        return parse(content).size() > documents.size();
    }

    private List<EnumerablePropertySource<?>> parse(String content) throws IOException {
        String format = config.format();
        boolean yaml = format.equals("yaml") || format.equals("yml") || format.equals("json");
        PropertySourceLoader loader = yaml ? new YamlPropertySourceLoader() : new PropertiesPropertySourceLoader();
        // The name tells XML from plain properties.
        String name = format.equals("xml") ? config + ".xml" : config.toString();
        ByteArrayResource resource = new ByteArrayResource(content.getBytes(StandardCharsets.UTF_8), name) {
            @Override
            public String getFilename() {
                return name;
            }
        };
        List<EnumerablePropertySource<?>> sources = new ArrayList<>();
        try {
            for (PropertySource<?> source : loader.load(name, resource)) {
                sources.add((EnumerablePropertySource<?>) source);
            }
        } catch (RuntimeException e) {
            throw new IOException(config + " is not valid " + format + ": " + e.getMessage(), e);
        }
        return sources;
    }

    /** One document of the configuration, in the environment. */
    static final class ImportedDocument extends EnumerablePropertySource<ImportedProperties> {

        private volatile EnumerablePropertySource<?> present;

        ImportedDocument(String name, EnumerablePropertySource<?> present, ImportedProperties whole) {
            super(name, whole);
            this.present = present;
        }

        private Set<String> become(EnumerablePropertySource<?> next) {
            EnumerablePropertySource<?> before = present;
            present = next;
            Set<String> changed = new HashSet<>(List.of(before.getPropertyNames()));
            changed.addAll(List.of(next.getPropertyNames()));
            changed.removeIf(name -> Objects.equals(text(before, name), text(next, name)));
            return changed;
        }

        private static String text(PropertySource<?> source, String name) {
            return String.valueOf(source.getProperty(name));
        }

        @Override
        public String[] getPropertyNames() {
            return present.getPropertyNames();
        }

        @Override
        public @Nullable Object getProperty(String name) {
            return present.getProperty(name);
        }
    }

    private static final class Nothing extends EnumerablePropertySource<String> {

        Nothing() {
            super("nothing", "nothing");
        }

        @Override
        public String[] getPropertyNames() {
            return new String[0];
        }

        @Override
        public @Nullable Object getProperty(String name) {
            return null;
        }
    }
}
