package io.cairn.server.config.validation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
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
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/** YAML documents, read as events: nothing is composed, aliases are weighed and never expanded. */
final class YamlCheck {

    /** Nodes behind all aliases of a document. */
    private static final long MAX_ALIASED_NODES = 1_000_000;

    /** The parser's time is quadratic in a line: half a second at this length, half a minute at ten times it. */
    private static final int MAX_LINE = 1 << 20;
    /** Of a key in an error text. */
    private static final int MAX_SHOWN = 100;

    /** SnakeYAML's default limit, which Spring keeps. */
    private static final int MAX_DEPTH = 50;

    private enum Kind {
        MAPPING,
        /** A list of mappings alone. */
        MAPPINGS,
        OTHER
    }

    /** The node of an anchor. */
    private record Anchored(
            long nodes, Kind kind, boolean isOpen, @Nullable Object value) {}

    /** An unfinished collection. */
    private static final class Open {
        private final @Nullable String anchor;
        private final boolean isMapping;
        /** Whether another mapping merges its entries, where readers accept repeated keys. */
        private final boolean isMerged;
        /** Whether it is in a key, so that its values are compared. */
        private final boolean isInKey;

        /** The lines of a mapping's keys. */
        private final Map<Object, Integer> keys = new HashMap<>();
        /** Keys and values in turn; kept inside keys only. */
        private final List<Object> values = new ArrayList<>();

        private long nodes = 1;
        private boolean isKeyNext = true;
        private boolean isMergeNext;
        /** Whether the last value is merged into the mapping. */
        private boolean isMergeValue;

        private boolean holdsMappingsAlone = true;

        Open(@Nullable String anchor, boolean isMapping, boolean isMerged, boolean isInKey) {
            this.anchor = anchor;
            this.isMapping = isMapping;
            this.isMerged = isMerged;
            this.isInKey = isInKey;
        }

        Kind kind() {
            return isMapping ? Kind.MAPPING : holdsMappingsAlone ? Kind.MAPPINGS : Kind.OTHER;
        }

        Object value() {
            if (!isMapping) {
                return List.copyOf(values);
            }
            Map<Object, Object> entries = new HashMap<>();
            for (int i = 0; i + 1 < values.size(); i += 2) {
                entries.put(values.get(i), values.get(i + 1));
            }
            return entries;
        }
    }

    private static final String MERGE = "<<";

    private static final String NO_MERGE = "what << takes over is no mapping";

    private final YamlKeys keys = new YamlKeys();
    private final Map<String, Anchored> anchors = new HashMap<>();
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
        options.setProcessComments(false);
        StreamReader reader = new StreamReader(text);
        try {
            return new YamlCheck().read(new ParserImpl(reader, options));
        } catch (IllegalArgumentException e) {
            // The scanner does not check that a number names a character.
            Mark mark = reader.getMark();
            return Optional.of(
                    new Problem(mark.getLine() + 1, mark.getColumn() + 1, "an escape that names no character"));
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

    /** The offset of the first too long line, or -1. */
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
            String problem = event instanceof NodeEvent node ? place(node) : null;
            if (problem == null) {
                problem = check(event);
            }
            if (problem != null) {
                Mark mark = event.getStartMark();
                return Optional.of(new Problem(mark.getLine() + 1, mark.getColumn() + 1, problem));
            }
        }
        return Optional.empty();
    }

    /** Records a node's role in its collection; returns its problem, or null. */
    private @Nullable String place(NodeEvent event) {
        Open around = open.peek();
        if (around == null) {
            return null;
        }
        if (!around.isMapping) {
            around.holdsMappingsAlone &= kind(event) == Kind.MAPPING;
            return around.isMerged && kind(event) != Kind.MAPPING ? NO_MERGE : null;
        }
        boolean isKey = around.isKeyNext;
        around.isKeyNext = !isKey;
        if (!isKey) {
            around.isMergeValue = around.isMergeNext;
            around.isMergeNext = false;
            return around.isMergeValue && !(event instanceof SequenceStartEvent) && kind(event) == Kind.OTHER
                    ? NO_MERGE
                    : null;
        }
        if (isMerge(event)) {
            around.isMergeNext = true;
            return null;
        }
        return event instanceof CollectionStartEvent ? null : repeated(around, event, value(event));
    }

    private static boolean isMerge(NodeEvent event) {
        return event instanceof ScalarEvent key
                && key.getTag() == null
                && key.getScalarStyle() == DumperOptions.ScalarStyle.PLAIN
                && key.getValue().equals(MERGE);
    }

    /** The line of an earlier equal key; most readers, Spring's included, refuse repetitions. */
    private static @Nullable String repeated(Open around, Event event, Object key) {
        if (around.isMerged) {
            return null;
        }
        int line = event.getStartMark().getLine() + 1;
        Integer before = around.keys.putIfAbsent(key, line);
        if (before == null) {
            return null;
        }
        String text = event instanceof ScalarEvent scalar ? scalar.getValue() : key.toString();
        return "key '" + shortened(text) + "' again, first in line " + before;
    }

    private Kind kind(NodeEvent event) {
        if (event instanceof AliasEvent alias) {
            Anchored anchored = anchors.get(alias.getAnchor());
            return anchored == null ? Kind.OTHER : anchored.kind;
        }
        return event instanceof MappingStartEvent ? Kind.MAPPING : Kind.OTHER;
    }

    private Object value(NodeEvent event) {
        if (event instanceof ScalarEvent scalar) {
            return keys.value(scalar);
        }
        Anchored anchored = anchors.get(event.getAnchor());
        return anchored == null || anchored.value == null ? event : anchored.value;
    }

    private static String shortened(String key) {
        return key.length() <= MAX_SHOWN ? key : key.substring(0, MAX_SHOWN) + "...";
    }

    private @Nullable String check(Event event) {
        if (event instanceof DocumentStartEvent) {
            anchors.clear();
            aliasedNodes = 0;
        } else if (event instanceof AliasEvent alias) {
            Anchored anchored = anchors.get(alias.getAnchor());
            if (anchored == null) {
                return "an alias without its anchor";
            }
            if (anchored.isOpen) {
                return "an alias of what it stands in";
            }
            aliasedNodes += anchored.nodes;
            if (aliasedNodes > MAX_ALIASED_NODES) {
                return "aliases that stand for more than " + MAX_ALIASED_NODES + " nodes";
            }
            count(anchored.nodes, value(alias));
        } else if (event instanceof CollectionEndEvent) {
            return end(event, open.pop());
        } else if (event instanceof CollectionStartEvent start) {
            begin(start);
        } else if (event instanceof ScalarEvent scalar) {
            Object value = scalar.getAnchor() != null || isInKey() ? keys.value(scalar) : "";
            if (scalar.getAnchor() != null) {
                anchors.put(scalar.getAnchor(), new Anchored(1, Kind.OTHER, false, value));
            }
            count(1, value);
        }
        boolean isNode = event instanceof CollectionStartEvent || event instanceof ScalarEvent;
        int depth = open.size() + (event instanceof ScalarEvent ? 1 : 0);
        return isNode && depth > MAX_DEPTH ? "more than " + MAX_DEPTH + " levels" : null;
    }

    private boolean isInKey() {
        Open around = open.peek();
        return around != null && around.isInKey;
    }

    private void begin(CollectionStartEvent start) {
        Open around = open.peek();
        boolean isMapping = start instanceof MappingStartEvent;
        // The state has already advanced to the next node.
        boolean isKey = around != null && around.isMapping && !around.isKeyNext;
        boolean isMerged = around != null && (around.isMapping ? around.isMergeValue && !isKey : around.isMerged);
        String anchor = start.getAnchor();
        if (anchor != null) {
            anchors.put(anchor, new Anchored(1, Kind.OTHER, true, null));
        }
        open.push(new Open(anchor, isMapping, isMerged, isKey || around != null && around.isInKey));
    }

    private @Nullable String end(Event event, Open done) {
        Object value = done.isInKey ? done.value() : new Object();
        if (done.anchor != null) {
            anchors.put(done.anchor, new Anchored(done.nodes, done.kind(), false, value));
        }
        Open around = open.peek();
        boolean isKey = around != null && around.isMapping && !around.isKeyNext;
        count(done.nodes, value);
        return around != null && isKey ? repeated(around, event, value) : null;
    }

    private void count(long nodes, Object value) {
        Open around = open.peek();
        if (around != null) {
            around.nodes += nodes;
            if (around.isInKey) {
                around.values.add(value);
            }
        }
    }
}
