package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigType;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.TypeOfName;
import io.cairn.server.config.transfer.TransferException.Fault;
import java.io.StringReader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingEndEvent;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceEndEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.events.StreamStartEvent;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/** Reads the list of configurations in an archive. */
final class ArchiveList {

    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    private ArchiveList() {}

    record Item(String group, String dataId, ConfigAttributes attributes) {}

    /** The configuration's item in an {@code .meta.yml}; {@code lines} are its {@link #lines}. */
    static Item named(String group, String dataId, Map<String, String> lines) {
        String appName = lines.get(ArchiveWriter.lineKey(group, dataId) + ArchiveWriter.APP);
        Map<String, String> fields = new HashMap<>();
        for (String field : ArchiveWriter.FIELDS_OF_OURS) {
            String value = lines.get(ArchiveWriter.lineKey(group, dataId) + ArchiveWriter.OURS + field);
            if (value != null) {
                fields.put(field, decoded(value));
            }
        }
        return new Item(group, dataId, attributes(TypeOfName.of(dataId), appName, null, fields));
    }

    /** Whether an {@code .meta.yml} has the configuration. */
    static boolean names(String group, String dataId, Map<String, String> lines) {
        String key = ArchiveWriter.lineKey(group, dataId);
        return lines.containsKey(key + ArchiveWriter.APP)
                || lines.containsKey(key + ArchiveWriter.OURS + ArchiveWriter.LISTED);
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new TransferException(
                    Fault.ILLEGAL_METADATA,
                    ArchiveLayout.APP_NAMES.entry() + ": '" + value + "' is not percent-encoded");
        }
    }

    private static ConfigAttributes attributes(
            ConfigType type, @Nullable String appName, @Nullable String description, Map<String, String> fields) {
        String tags = fields.get(ArchiveWriter.TAGS);
        return new ConfigAttributes(
                type,
                appName,
                description,
                fields.get(ArchiveWriter.USE),
                fields.get(ArchiveWriter.EFFECT),
                fields.get(ArchiveWriter.SCHEMA),
                tags == null ? null : List.of(tags.split(",")),
                fields.getOrDefault(ArchiveWriter.ENCRYPTED_DATA_KEY, ""));
    }

    /** The key is the text before the first equals sign. */
    static Map<String, String> lines(String text) {
        Map<String, String> names = new HashMap<>();
        // Some editors add a byte order mark.
        for (String line : text.substring(text.startsWith("\ufeff") ? 1 : 0).split("[\r\n]+")) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                names.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return names;
    }

    /**
     * The items of a {@code .metadata.yml} by entry name. Reads events, so that aliases and deep nesting take no memory.
     *
     * @throws TransferException {@code ILLEGAL_METADATA}
     */
    static Map<String, Item> items(String yaml, int maxChars) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(maxChars);
        Iterator<Event> events = new Yaml(options).parse(new StringReader(yaml)).iterator();
        Map<String, Item> items = new LinkedHashMap<>();
        try {
            Event event = next(events);
            while (event instanceof StreamStartEvent || event instanceof DocumentStartEvent) {
                event = next(events);
            }
            if (!(event instanceof MappingStartEvent)) {
                throw illegal("it is no mapping");
            }
            boolean found = false;
            for (event = next(events); event instanceof ScalarEvent key; event = next(events)) {
                Event value = next(events);
                if (value instanceof AliasEvent alias) {
                    throw illegal(alias("'" + key.getValue() + "'", alias));
                } else if (!key.getValue().equals("metadata")) {
                    skip(value, events);
                } else if (value instanceof SequenceStartEvent) {
                    found = true;
                    readItems(events, items);
                } else {
                    throw illegal("'metadata' is no list");
                }
            }
            if (!found) {
                throw illegal("it has no 'metadata'");
            }
            return items;
        } catch (ReaderException e) {
            // The parser reads ahead, so the character may be in a later item.
            throw illegal("line " + lineOfUnprintable(yaml) + ": character " + String.format("U+%04X", e.getCodePoint())
                    + " is not allowed in YAML (expected: an escape in double quotes)");
        } catch (YAMLException e) {
            throw illegal(described(e));
        }
    }

    private static long lineOfUnprintable(String yaml) {
        int at = 0;
        while (at < yaml.length() && StreamReader.isPrintable(yaml.codePointAt(at))) {
            at += Character.charCount(yaml.codePointAt(at));
        }
        return 1 + yaml.substring(0, at).lines().count() - (at == 0 || isLineEnd(yaml.charAt(at - 1)) ? 0 : 1);
    }

    private static boolean isLineEnd(char c) {
        return c == '\n' || c == '\r';
    }

    private static String alias(String of, AliasEvent alias) {
        return of + " is the alias *" + alias.getAnchor() + " (expected: the text itself; aliases are not read)";
    }

    private static void readItems(Iterator<Event> events, Map<String, Item> items) {
        Map<String, String> places = new HashMap<>();
        String place = "item 1";
        try {
            for (Event event = next(events); !(event instanceof SequenceEndEvent); event = next(events)) {
                place = "item " + (items.size() + 1) + " (line " + line(event) + ")";
                if (event instanceof AliasEvent alias) {
                    throw illegal(place + ": " + alias("it", alias));
                }
                if (!(event instanceof MappingStartEvent)) {
                    throw illegal(place + ": no mapping (expected: dataId, group and type)");
                }
                Item item = item(fields(events, place), place);
                String name = item.group() + '/' + item.dataId();
                items.put(name, item);
                String before = places.put(name, place);
                if (before != null) {
                    throw illegal(place + ": " + name + " is in the list already, as " + before);
                }
                place = "after " + place;
            }
        } catch (MarkedYAMLException e) {
            throw illegal(place + ": " + described(e));
        }
    }

    private static int line(Event event) {
        return event.getStartMark().getLine() + 1;
    }

    private static Map<String, String> fields(Iterator<Event> events, String place) {
        Map<String, String> fields = new HashMap<>();
        Map<String, Integer> lines = new HashMap<>();
        Event event = next(events);
        while (event instanceof ScalarEvent key) {
            Integer before = lines.put(key.getValue(), line(key));
            if (before != null) {
                throw illegal(place + ": '" + key.getValue() + "' is there twice, in line " + before + " and in line "
                        + line(key));
            }
            Event value = next(events);
            if (value instanceof ScalarEvent scalar) {
                boolean isNull =
                        scalar.getScalarStyle() == DumperOptions.ScalarStyle.PLAIN && NULLS.contains(scalar.getValue());
                if (!isNull) {
                    fields.put(key.getValue(), scalar.getValue());
                }
            } else if (value instanceof AliasEvent alias) {
                throw illegal(place + ": line " + line(alias) + ": " + alias("'" + key.getValue() + "'", alias));
            } else {
                skip(value, events);
            }
            event = next(events);
        }
        if (!(event instanceof MappingEndEvent)) {
            throw illegal(place + ": line " + line(event) + ": the name of a field is no text");
        }
        return fields;
    }

    /** Nacos omits a null type; the name's ending then determines it. */
    private static Item item(Map<String, String> fields, String place) {
        String dataId = fields.get("dataId");
        String group = fields.get("group");
        String type = fields.get("type");
        if (dataId == null || dataId.isBlank()) {
            throw illegal(place + ": no dataId");
        }
        if (group == null || group.isBlank()) {
            throw illegal(place + ": no group for dataId '" + dataId + "'");
        }
        return new Item(
                group,
                dataId,
                attributes(
                        type == null || type.isBlank() ? TypeOfName.of(dataId) : ConfigType.ofWireName(type),
                        fields.get("appName"),
                        fields.get("desc"),
                        fields));
    }

    private static void skip(Event first, Iterator<Event> events) {
        int depth = 0;
        for (Event event = first; ; event = next(events)) {
            if (event instanceof MappingStartEvent || event instanceof SequenceStartEvent) {
                depth++;
            } else if (event instanceof MappingEndEvent || event instanceof SequenceEndEvent) {
                depth--;
            }
            if (depth == 0) {
                return;
            }
        }
    }

    private static Event next(Iterator<Event> events) {
        if (!events.hasNext()) {
            throw illegal("it ends too early");
        }
        return events.next();
    }

    private static String described(YAMLException failure) {
        if (failure instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
            return "line " + (marked.getProblemMark().getLine() + 1) + ": " + marked.getProblem();
        }
        String message = String.valueOf(failure.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    private static TransferException illegal(String why) {
        return new TransferException(Fault.ILLEGAL_METADATA, ArchiveLayout.LISTED.entry() + ": " + why);
    }
}
