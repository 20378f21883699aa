package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
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

/** A well-formed content as the values that it holds, and where in the text each stands. Not thread-safe. */
final class ContentTree {

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

    /** Finds out where a value stands. */
    private interface Places {
        Optional<Problem> at(int document, List<String> path, String message);
    }

    private ContentTree(List<JsonNode> documents, Places places) {
        this.documents = documents;
        this.places = places;
    }

    /** The tree of a content without problems; empty for types that hold no values. */
    static Optional<ContentTree> of(ConfigType type, String text) {
        return switch (type) {
            case JSON ->
                Optional.of(new ContentTree(
                        List.of(JSON.readTree(text)), (document, path, message) -> inJson(text, path, message)));
            case YAML -> Optional.of(ofYaml(text));
            // The TOML parser does not report the places of values.
            case TOML ->
                Optional.of(
                        new ContentTree(List.of(TOML.readTree(text)), (document, path, message) -> Optional.empty()));
            case PROPERTIES ->
                Optional.of(
                        new ContentTree(List.of(ofProperties(text)), (document, path, message) -> Optional.empty()));
            case XML, TEXT, HTML, UNSET -> Optional.empty();
        };
    }

    /** One for each document of the text; all but YAML have one. */
    List<JsonNode> documents() {
        return documents;
    }

    /** The problem with the value at that JSON pointer; without a place if the place is not known. */
    Problem problem(int document, String pointer, String message) {
        return places.at(document, path(pointer), message).orElseGet(() -> Problem.nowhere(message));
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

    private static Optional<Problem> inJson(String text, List<String> path, String message) {
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            for (String step : path) {
                if (!enter(parser, step)) {
                    return Optional.empty();
                }
            }
            TokenStreamLocation at = parser.currentTokenLocation();
            return Optional.of(new Problem(at.getLineNr(), at.getColumnNr(), message));
        }
    }

    /** Moves from a value to the one of that name, or at that index, in it. */
    private static boolean enter(JsonParser parser, String step) {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean found = parser.currentName().equals(step);
                parser.nextToken();
                if (found) {
                    return true;
                }
                parser.skipChildren();
            }
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                if (step.equals(Integer.toString(index))) {
                    return true;
                }
                parser.skipChildren();
            }
        }
        return false;
    }

    private static ContentTree ofYaml(String text) {
        List<Node> nodes = YamlValues.documents(text);
        List<JsonNode> values = nodes.stream().map(YamlValues::value).toList();
        return new ContentTree(values, (document, path, message) -> YamlValues.mark(nodes.get(document), path)
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
