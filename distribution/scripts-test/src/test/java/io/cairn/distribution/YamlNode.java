package io.cairn.distribution;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** A value of a YAML file. A part that is absent is a node without a value, so a path can be followed to its end. */
record YamlNode(Object value) {

    static YamlNode read(Path file) throws IOException {
        return all(file).get(0);
    }

    /** The documents of a file, without empty ones. */
    static List<YamlNode> all(Path file) throws IOException {
        List<YamlNode> documents = new ArrayList<>();
        try (Reader reader = Files.newBufferedReader(file)) {
            for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(reader)) {
                if (document != null) {
                    documents.add(new YamlNode(document));
                }
            }
        }
        return documents;
    }

    YamlNode at(String... path) {
        Object found = value;
        for (String name : path) {
            found = found instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return new YamlNode(found);
    }

    boolean isAbsent() {
        return value == null;
    }

    /** None for an absent list. */
    List<YamlNode> list() {
        return value instanceof List<?> list ? list.stream().map(YamlNode::new).toList() : List.of();
    }

    List<String> texts() {
        return list().stream().map(YamlNode::text).toList();
    }

    /** The element with that {@code name}. */
    YamlNode named(String name) {
        return list().stream()
                .filter(each -> each.at("name").text().equals(name))
                .findFirst()
                .orElse(new YamlNode(null));
    }

    Set<String> keys() {
        return value instanceof Map<?, ?> map
                ? map.keySet().stream().map(String::valueOf).collect(Collectors.toSet())
                : Set.of();
    }

    Map<String, String> strings() {
        return keys().stream().collect(Collectors.toMap(key -> key, key -> at(key).text()));
    }

    String text() {
        return value == null ? "" : value.toString();
    }

    int number() {
        return Integer.parseInt(text());
    }
}
