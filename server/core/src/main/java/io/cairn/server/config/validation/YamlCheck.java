package io.cairn.server.config.validation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Any number of YAML documents, read as events: nothing is composed or constructed, aliases are weighed and never
 * expanded.
 */
final class YamlCheck {

    /** Nodes that the aliases of a document may stand for, all taken together. */
    private static final long MAX_ALIASED_NODES = 1_000_000;

    /** The parser's time grows with the square of a line: half a second at this length, half a minute at ten times it. */
    private static final int MAX_LINE = 1 << 20;
    /** Of a key in an error text. */
    private static final int MAX_SHOWN = 100;

    /** A collection that is not at its end. */
    private static final class Open {
        private final @Nullable String anchor;
        /** Of a mapping: the lines of its keys, by type and text. */
        private final @Nullable Map<String, Integer> keys;

        private long nodes = 1;
        private boolean isKeyNext = true;

        Open(@Nullable String anchor, boolean isMapping) {
            this.anchor = anchor;
            this.keys = isMapping ? new HashMap<>() : null;
        }
    }

    private static final String MERGE = "<<";
    private static final Resolver TYPES = new Resolver();

    private final Map<String, Long> nodesOfAnchor = new HashMap<>();
    private final Deque<Open> open = new ArrayDeque<>();
    private long aliasedNodes;

    private YamlCheck() {}

    static Optional<Problem> check(String text) {
        int tooLong = tooLongLine(text);
        if (tooLong >= 0) {
            return Optional.of(Problem.at(text, tooLong, "a line of more than " + MAX_LINE + " characters"));
        }
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Math.max(1, text.length()));
        options.setNestingDepthLimit(ContentValidator.MAX_DEPTH);
        options.setProcessComments(false);
        try {
            return new YamlCheck().read(new ParserImpl(new StreamReader(text), options));
        } catch (MarkedYAMLException e) {
            Mark mark = e.getProblemMark() == null ? e.getContextMark() : e.getProblemMark();
            String message = e.getProblem() == null ? "not YAML" : e.getProblem();
            return Optional.of(
                    mark == null
                            ? new Problem(1, 1, message)
                            : new Problem(mark.getLine() + 1, mark.getColumn() + 1, message));
        } catch (ReaderException e) {
            int offset = text.offsetByCodePoints(0, Math.min(e.getPosition(), text.codePointCount(0, text.length())));
            return Optional.of(Problem.at(text, offset, "a character that YAML does not allow"));
        } catch (YAMLException e) {
            return Optional.of(new Problem(1, 1, "not YAML"));
        }
    }

    /** The offset at which the first line is too long; -1 when none is. */
    private static int tooLongLine(String text) {
        int start = 0;
        while (text.length() - start > MAX_LINE) {
            int end = text.indexOf('\n', start);
            if (end < 0 || end - start > MAX_LINE) {
                return start + MAX_LINE;
            }
            start = end + 1;
        }
        return -1;
    }

    private Optional<Problem> read(Parser parser) {
        while (!parser.checkEvent(Event.ID.StreamEnd)) {
            Event event = parser.getEvent();
            String problem = repeatedKey(event);
            if (problem == null) {
                problem = look(event);
            }
            if (problem != null) {
                Mark mark = event.getStartMark();
                return Optional.of(new Problem(mark.getLine() + 1, mark.getColumn() + 1, problem));
            }
        }
        return Optional.empty();
    }

    /** Says where a mapping has a scalar key already; most readers, Spring's among them, refuse such a mapping. */
    private @Nullable String repeatedKey(Event event) {
        Open around = open.peek();
        Map<String, Integer> keys = around == null ? null : around.keys;
        if (around == null || keys == null || !(event instanceof NodeEvent)) {
            return null;
        }
        boolean isKey = around.isKeyNext;
        around.isKeyNext = !isKey;
        if (!isKey || !(event instanceof ScalarEvent key)) {
            return null;
        }
        boolean isPlain = key.getScalarStyle() == DumperOptions.ScalarStyle.PLAIN;
        if (isPlain && key.getValue().equals(MERGE)) {
            return null;
        }
        String type = key.getTag() != null
                ? key.getTag()
                : TYPES.resolve(NodeId.scalar, key.getValue(), isPlain).getValue();
        int line = key.getStartMark().getLine() + 1;
        Integer before = keys.putIfAbsent(type + ' ' + key.getValue(), line);
        return before == null ? null : "key '" + shortened(key.getValue()) + "' again, first in line " + before;
    }

    private static String shortened(String key) {
        return key.length() <= MAX_SHOWN ? key : key.substring(0, MAX_SHOWN) + "...";
    }

    private @Nullable String look(Event event) {
        if (event instanceof DocumentStartEvent) {
            nodesOfAnchor.clear();
            aliasedNodes = 0;
        } else if (event instanceof AliasEvent alias) {
            Long nodes = nodesOfAnchor.get(alias.getAnchor());
            if (nodes == null) {
                return "an alias without its anchor";
            }
            aliasedNodes += nodes;
            if (aliasedNodes > MAX_ALIASED_NODES) {
                return "aliases that stand for more than " + MAX_ALIASED_NODES + " nodes";
            }
            count(nodes);
        } else if (event instanceof CollectionEndEvent) {
            Open done = open.pop();
            if (done.anchor != null) {
                nodesOfAnchor.put(done.anchor, done.nodes);
            }
            count(done.nodes);
        } else if (event instanceof NodeEvent node) {
            if (node.getAnchor() != null) {
                nodesOfAnchor.put(node.getAnchor(), 1L);
            }
            if (node instanceof CollectionStartEvent) {
                open.push(new Open(node.getAnchor(), node instanceof MappingStartEvent));
                return open.size() > ContentValidator.MAX_DEPTH
                        ? "more than " + ContentValidator.MAX_DEPTH + " levels"
                        : null;
            }
            count(1);
        }
        return null;
    }

    private void count(long nodes) {
        Open around = open.peek();
        if (around != null) {
            around.nodes += nodes;
        }
    }
}
