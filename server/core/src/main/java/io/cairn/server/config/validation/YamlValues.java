package io.cairn.server.config.validation;

import java.io.StringReader;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The values of YAML documents as JSON: dates and keys are texts, {@code <<} merges another mapping. The text was checked, so the
 * expansion of aliases is small.
 */
final class YamlValues {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int MAX_DIGITS = 1_000;

    private YamlValues() {}

    static List<Node> documents(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Math.max(1, text.length()));
        options.setNestingDepthLimit(ContentValidator.MAX_DEPTH);
        options.setMaxAliasesForCollections(Integer.MAX_VALUE);
        List<Node> documents = new ArrayList<>();
        new Yaml(new SafeConstructor(options))
                .composeAll(new StringReader(text))
                .forEach(documents::add);
        return documents;
    }

    static JsonNode value(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar(scalar);
        }
        if (node instanceof SequenceNode sequence) {
            ArrayNode values = NODES.arrayNode();
            sequence.getValue().forEach(item -> values.add(value(item)));
            return values;
        }
        ObjectNode values = NODES.objectNode();
        fields(node).forEach((name, field) -> values.set(name, value(field.getValueNode())));
        return values;
    }

    /** The start of the value at that path. */
    static Optional<Mark> mark(Node document, List<String> path) {
        return mark(document, path, false);
    }

    /** The start of the name at that path, or of the value at an index. */
    static Optional<Mark> markOfName(Node document, List<String> path) {
        return mark(document, path, true);
    }

    private static Optional<Mark> mark(Node document, List<String> path, boolean ofName) {
        Node node = document;
        Node name = document;
        for (String step : path) {
            if (node instanceof SequenceNode sequence) {
                int index = Integer.parseInt(step);
                if (index >= sequence.getValue().size()) {
                    return Optional.empty();
                }
                node = sequence.getValue().get(index);
                name = node;
            } else {
                NodeTuple field = fields(node).get(step);
                if (field == null) {
                    return Optional.empty();
                }
                node = field.getValueNode();
                name = field.getKeyNode();
            }
        }
        return Optional.of((ofName ? name : node).getStartMark());
    }

    private static Map<String, NodeTuple> fields(Node node) {
        Map<String, NodeTuple> fields = new LinkedHashMap<>();
        if (node instanceof MappingNode mapping) {
            for (NodeTuple field : mapping.getValue()) {
                if (field.getKeyNode() instanceof ScalarNode name && !Tag.MERGE.equals(name.getTag())) {
                    fields.put(name.getValue(), field);
                }
            }
            // Own fields take precedence over merged ones.
            for (NodeTuple field : mapping.getValue()) {
                if (Tag.MERGE.equals(field.getKeyNode().getTag())) {
                    takeOver(field.getValueNode(), fields);
                }
            }
        }
        return fields;
    }

    private static void takeOver(Node source, Map<String, NodeTuple> fields) {
        List<Node> sources = source instanceof SequenceNode sequence ? sequence.getValue() : List.of(source);
        sources.forEach(one -> fields(one).forEach(fields::putIfAbsent));
    }

    private static JsonNode scalar(ScalarNode scalar) {
        String text = scalar.getValue();
        Tag tag = scalar.getTag();
        if (Tag.NULL.equals(tag)) {
            return NODES.nullNode();
        }
        if (Tag.BOOL.equals(tag)) {
            String word = text.toLowerCase(Locale.ROOT);
            return NODES.booleanNode(word.equals("true") || word.equals("yes") || word.equals("on"));
        }
        if (Tag.INT.equals(tag) || Tag.FLOAT.equals(tag)) {
            return number(text);
        }
        return NODES.stringNode(text);
    }

    private static JsonNode number(String text) {
        String plain = text.replace("_", "");
        try {
            if (plain.length() > MAX_DIGITS) {
                return NODES.stringNode(text);
            }
            if (plain.matches("[-+]?(0|[1-9][0-9]*)")) {
                BigInteger whole = new BigInteger(plain);
                return whole.bitLength() < Long.SIZE ? NODES.numberNode(whole.longValue()) : NODES.numberNode(whole);
            }
            if (plain.matches("[-+]?0[xX][0-9a-fA-F]+")) {
                return NODES.numberNode(new BigInteger(plain.replaceFirst("0[xX]", ""), 16));
            }
            if (plain.matches("[-+]?0b[01]+")) {
                return NODES.numberNode(new BigInteger(plain.replaceFirst("0b", ""), 2));
            }
            if (plain.matches("[-+]?0[0-7]+")) {
                return NODES.numberNode(new BigInteger(plain, 8));
            }
            return NODES.numberNode(Double.parseDouble(plain));
        } catch (NumberFormatException e) {
            // JSON has no infinity, NaN and base 60 numbers.
            return NODES.stringNode(text);
        }
    }
}
