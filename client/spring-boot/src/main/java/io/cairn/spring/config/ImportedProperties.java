package io.cairn.spring.config;

import io.cairn.api.config.ConfigKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The property sources of one imported configuration, one per document. They keep their places in the environment, and their
 * contents follow the configuration. Thread-safe.
 */
final class ImportedProperties {

    /** The {@link #activation} of a document without conditions. */
    private static final String ALWAYS = Map.of().toString();

    private final ImportedConfig config;
    private final SharedClient client;
    /** Guarded by this. */
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

    /**
     * Reads the first content. One source is always active, if necessary an empty source: it refers to the client, and
     * receives later contents.
     */
    synchronized List<? extends PropertySource<?>> read(String content) throws IOException {
        List<ImportedDocument> all = new ArrayList<>();
        List<EnumerablePropertySource<?>> parsed = parse(content);
        if (parsed.stream().noneMatch(source -> activation(source).equals(ALWAYS))) {
            parsed.add(0, new Nothing());
        }
        for (int i = 0; i < parsed.size(); i++) {
            all.add(new ImportedDocument(config + (i == 0 ? "" : "#" + (i + 1)), parsed.get(i), this));
        }
        documents = List.copyOf(all);
        return documents;
    }

    /** @throws IOException when the content is unreadable; all values stay unchanged */
    synchronized Set<String> change(String content) throws IOException {
        Map<String, Deque<EnumerablePropertySource<?>>> parsed = byActivation(content);
        Set<String> changed = new HashSet<>();
        for (ImportedDocument document : documents) {
            Deque<EnumerablePropertySource<?>> alike = parsed.get(document.activation);
            changed.addAll(document.become(alike == null || alike.isEmpty() ? new Nothing() : alike.remove()));
        }
        return changed;
    }

    synchronized boolean isEmpty() {
        return documents.stream().allMatch(document -> document.getPropertyNames().length == 0);
    }

    /** Whether a content has documents without a counterpart at the start, which need a restart. */
    synchronized boolean outgrown(String content) throws IOException {
        Map<String, Deque<EnumerablePropertySource<?>>> parsed = byActivation(content);
        for (ImportedDocument document : documents) {
            Deque<EnumerablePropertySource<?>> alike = parsed.get(document.activation);
            if (alike != null) {
                alike.poll();
            }
        }
        return parsed.values().stream().anyMatch(alike -> !alike.isEmpty());
    }

    /**
     * Documents are matched by their activation conditions, so that the documents of different profiles are never exchanged.
     */
    private Map<String, Deque<EnumerablePropertySource<?>>> byActivation(String content) throws IOException {
        Map<String, Deque<EnumerablePropertySource<?>>> all = new HashMap<>();
        for (EnumerablePropertySource<?> source : parse(content)) {
            all.computeIfAbsent(activation(source), when -> new ArrayDeque<>()).add(source);
        }
        return all;
    }

    private static String activation(EnumerablePropertySource<?> source) {
        Map<String, String> conditions = new TreeMap<>();
        for (String name : source.getPropertyNames()) {
            if (name.startsWith("spring.config.activate.")) {
                conditions.put(name, String.valueOf(source.getProperty(name)));
            }
        }
        return conditions.toString();
    }

    private List<EnumerablePropertySource<?>> parse(String content) throws IOException {
        String format = config.format();
        boolean yaml = format.equals("yaml") || format.equals("yml") || format.equals("json");
        PropertySourceLoader loader = yaml ? new YamlPropertySourceLoader() : new PropertiesPropertySourceLoader();
        // The loader recognizes XML by the file name.
        String name = format.equals("xml") ? config + ".xml" : config.toString();
        boolean properties = !yaml && !format.equals("xml");
        byte[] bytes = (properties ? escaped(content) : content).getBytes(StandardCharsets.UTF_8);
        ByteArrayResource resource = new ByteArrayResource(bytes, name) {
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

    /** Some versions of Spring Boot read properties as ISO 8859-1, so other characters are escaped. */
    private static String escaped(String content) {
        StringBuilder ascii = new StringBuilder(content.length());
        content.chars().forEach(unit -> {
            if (unit < 0x7f) {
                ascii.append((char) unit);
            } else {
                ascii.append(String.format("\\u%04x", unit));
            }
        });
        return ascii.toString();
    }

    static final class ImportedDocument extends EnumerablePropertySource<ImportedProperties> {

        private final String activation;
        private volatile EnumerablePropertySource<?> present;

        ImportedDocument(String name, EnumerablePropertySource<?> present, ImportedProperties whole) {
            super(name, whole);
            this.present = present;
            this.activation = activation(present);
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
