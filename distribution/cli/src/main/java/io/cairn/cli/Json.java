package io.cairn.cli;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** JSON as maps, lists, texts, numbers, booleans and null; a data binder would double the start time of a command. */
final class Json {

    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** @throws Failure for other texts than one JSON value */
    static @Nullable Object read(String text) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            return value(parser);
        } catch (JacksonException e) {
            throw new Failure("the server's answer is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static @Nullable Object value(JsonParser parser) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                fields.put(name, value(parser));
            }
            return fields;
        }
        if (token == JsonToken.START_ARRAY) {
            List<@Nullable Object> items = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                items.add(value(parser));
            }
            return items;
        }
        if (token == null || token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            return token == JsonToken.VALUE_TRUE;
        }
        return token.isNumeric() ? parser.getNumberValue() : parser.getString();
    }

    /** On one line. */
    static String write(@Nullable Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, value);
        }
        return text.toString();
    }

    /** A line for each member and item. */
    static String indented(@Nullable Object value) {
        StringBuilder text = new StringBuilder();
        indent(text, "", value);
        return text.toString();
    }

    private static void indent(StringBuilder text, String margin, @Nullable Object value) {
        String inner = margin + "  ";
        String separator = "\n";
        if (value instanceof Map<?, ?> fields && !fields.isEmpty()) {
            text.append('{');
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                text.append(separator)
                        .append(inner)
                        .append(write(String.valueOf(field.getKey())))
                        .append(": ");
                indent(text, inner, field.getValue());
                separator = ",\n";
            }
            text.append('\n').append(margin).append('}');
        } else if (value instanceof List<?> items && !items.isEmpty()) {
            text.append('[');
            for (Object item : items) {
                text.append(separator).append(inner);
                indent(text, inner, item);
                separator = ",\n";
            }
            text.append('\n').append(margin).append(']');
        } else {
            text.append(write(value));
        }
    }

    private static void write(JsonGenerator generator, @Nullable Object value) {
        if (value instanceof Map<?, ?> fields) {
            generator.writeStartObject();
            fields.forEach((name, field) -> {
                generator.writeName(String.valueOf(name));
                write(generator, field);
            });
            generator.writeEndObject();
        } else if (value instanceof Iterable<?> items) {
            generator.writeStartArray();
            items.forEach(item -> write(generator, item));
            generator.writeEndArray();
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            generator.writeNumber(((Number) value).longValue());
        } else if (value instanceof Number number) {
            generator.writeNumber(number.toString());
        } else if (value == null) {
            generator.writeNull();
        } else {
            generator.writeString(value.toString());
        }
    }

    /** An object's fields; empty for other values. */
    @SuppressWarnings("unchecked") // read() makes no other maps
    static Map<String, @Nullable Object> fields(@Nullable Object value) {
        return value instanceof Map<?, ?> ? (Map<String, @Nullable Object>) value : Map.of();
    }

    /** A list's items; empty for other values. */
    static List<?> items(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    /** A field as a text; empty if absent or null. */
    static String text(@Nullable Object object, String field) {
        Object value = fields(object).get(field);
        return value == null ? "" : value.toString();
    }
}
