package io.cairn.server.config.validation;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * The values of YAML 1.1 scalars for comparisons of keys, as in Spring: {@code 0x10} is {@code 16}, {@code yes} is {@code true}.
 * Dates are texts. Not thread-safe.
 */
final class YamlKeys extends SafeConstructor {

    private static final Object NULL = new Object();
    private static final Resolver TYPES = new Resolver();

    YamlKeys() {
        super(new LoaderOptions());
    }

    /** For an unreadable one, its tag and text. */
    Object value(ScalarEvent scalar) {
        String named = scalar.getTag();
        boolean isPlain = scalar.getScalarStyle() == DumperOptions.ScalarStyle.PLAIN;
        Tag tag = named == null ? TYPES.resolve(NodeId.scalar, scalar.getValue(), isPlain) : new Tag(named);
        if (tag.equals(Tag.STR) || tag.equals(Tag.TIMESTAMP) || "!".equals(named)) {
            return scalar.getValue();
        }
        Object value = constructed(new ScalarNode(
                tag, scalar.getValue(), scalar.getStartMark(), scalar.getEndMark(), scalar.getScalarStyle()));
        return value instanceof byte[] ? List.of(tag.getValue(), scalar.getValue()) : value;
    }

    private Object constructed(ScalarNode node) {
        try {
            @Nullable Object value = getConstructor(node).construct(node);
            return value == null ? NULL : value;
        } catch (YAMLException | IllegalArgumentException e) {
            // A custom tag, or a malformed number.
            return List.of(node.getTag().getValue(), node.getValue());
        }
    }
}
