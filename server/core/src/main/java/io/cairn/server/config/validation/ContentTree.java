package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.toml.TomlFactory;
import tools.jackson.dataformat.toml.TomlMapper;

/** The values of a well-formed content with their places. Not thread-safe. */
public final class ContentTree {

    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxNestingDepth(ContentValidator.MAX_DEPTH)
            .maxStringLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .build();
    private static final JsonMapper JSON = JsonMapper.builder(
                    JsonFactory.builder().streamReadConstraints(CONSTRAINTS).build())
            .build();
    private static final TomlMapper TOML = TomlMapper.builder(
                    TomlFactory.builder().streamReadConstraints(CONSTRAINTS).build())
            .build();

    private final List<JsonNode> documents;
    private final Places places;

    /** Finds the place of a value, or of its name. */
    private interface Places {
        Optional<Problem> at(int document, List<String> path, boolean ofName, String message);
    }

    private ContentTree(List<JsonNode> documents, Places places) {
        this.documents = documents;
        this.places = places;
    }

    /** Of a content without problems; empty for types without values. */
    public static Optional<ContentTree> of(ConfigType type, String text) {
        return switch (type) {
            case JSON ->
                Optional.of(new ContentTree(
                        List.of(JSON.readTree(text)),
                        (document, path, ofName, message) -> inJson(text, path, ofName, message)));
            case YAML -> Optional.of(ofYaml(text));
            // The TOML parser does not report places.
            case TOML ->
                Optional.of(new ContentTree(
                        List.of(TOML.readTree(text)), (document, path, ofName, message) -> Optional.empty()));
            case PROPERTIES ->
                Optional.of(new ContentTree(
                        List.of(ofProperties(text)), (document, path, ofName, message) -> Optional.empty()));
            case XML, TEXT, HTML, UNSET -> Optional.empty();
        };
    }

    /** One for each document; only YAML may have several. */
    public List<JsonNode> documents() {
        return documents;
    }

    /** The problem of the value at that JSON pointer, with its place if known. */
    Problem problem(int document, String pointer, String message) {
        return places.at(document, path(pointer), false, message).orElseGet(() -> Problem.nowhere(message));
    }

    /**
     * The problem of the field or item at that path, placed at the field's name.
     *
     * @param path names and indexes; the last existing part counts
     */
    public Problem problemOf(int document, List<String> path, String message) {
        for (int length = path.size(); length >= 0; length--) {
            Optional<Problem> found = places.at(document, path.subList(0, length), true, message);
            if (found.isPresent()) {
                return found.get();
            }
        }
        return Problem.nowhere(message);
    }

    private static List<String> path(String pointer) {
        List<String> path = new ArrayList<>();
        if (!pointer.isEmpty()) {
            for (String part : pointer.substring(1).split("/", -1)) {
                path.add(part.replace("~1", "/").replace("~0", "~"));
            }
        }
        return path;
    }

    private static Optional<Problem> inJson(String text, List<String> path, boolean ofName, String message) {
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            TokenStreamLocation name = parser.currentTokenLocation();
            for (String step : path) {
                name = enter(parser, step);
                if (name == null) {
                    return Optional.empty();
                }
            }
            TokenStreamLocation at = ofName ? name : parser.currentTokenLocation();
            return Optional.of(new Problem(at.getLineNr(), at.getColumnNr(), message));
        }
    }

    /** Moves to the value of that name or index. The place of its name, or its own; else null. */
    private static @Nullable TokenStreamLocation enter(JsonParser parser, String step) {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean found = parser.currentName().equals(step);
                TokenStreamLocation name = parser.currentTokenLocation();
                parser.nextToken();
                if (found) {
                    return name;
                }
                parser.skipChildren();
            }
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                if (step.equals(Integer.toString(index))) {
                    return parser.currentTokenLocation();
                }
                parser.skipChildren();
            }
        }
        return null;
    }

    private static ContentTree ofYaml(String text) {
        List<Node> nodes = YamlValues.documents(text);
        List<JsonNode> values = nodes.stream().map(YamlValues::value).toList();
        return new ContentTree(values, (document, path, ofName, message) -> (ofName
                        ? YamlValues.markOfName(nodes.get(document), path)
                        : YamlValues.mark(nodes.get(document), path))
                .map(mark -> new Problem(mark.getLine() + 1, mark.getColumn() + 1, message)));
    }

    private static ObjectNode ofProperties(String text) {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(text));
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory cannot fail to be read", e);
        }
        ObjectNode values = JsonNodeFactory.instance.objectNode();
        properties.forEach((name, value) -> values.put((String) name, (String) value));
        return values;
    }
}
