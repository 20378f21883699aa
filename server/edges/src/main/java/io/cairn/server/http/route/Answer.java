package io.cairn.server.http.route;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The data of an endpoint's response, for the reference.
 *
 * @param kind one thing, a list or a page
 * @param type {@code string}, {@code boolean}, {@code integer}, {@code object}, {@code array} or {@code null}; for a record its
 *     simple name
 * @param shape the record for Jackson; null for other types
 */
public record Answer(Kind kind, String type, @Nullable Class<? extends Record> shape) {

    public enum Kind {
        ONE,
        LIST,
        PAGE
    }

    public static Answer of(String type) {
        return new Answer(Kind.ONE, type, null);
    }

    public static Answer of(Class<? extends Record> shape) {
        return new Answer(Kind.ONE, shape.getSimpleName(), shape);
    }

    public static Answer listOf(Class<? extends Record> shape) {
        return new Answer(Kind.LIST, shape.getSimpleName(), shape);
    }

    public static Answer listOf(String type) {
        return new Answer(Kind.LIST, type, null);
    }

    public static Answer pageOf(Class<? extends Record> shape) {
        return new Answer(Kind.PAGE, shape.getSimpleName(), shape);
    }

    /** The form in descriptions of responses. */
    String text() {
        return switch (kind) {
            case ONE -> type;
            case LIST -> '[' + type + ']';
            case PAGE -> "Page of " + type;
        };
    }

    /** The JSON types of a record's members, in Jackson's order. */
    static Map<String, String> members(Class<? extends Record> shape) {
        Map<String, String> members = new LinkedHashMap<>();
        for (RecordComponent component : shape.getRecordComponents()) {
            if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
                members.putAll(members(component.getType().asSubclass(Record.class)));
                continue;
            }
            JsonProperty renamed = component.getAccessor().getAnnotation(JsonProperty.class);
            members.put(renamed == null ? component.getName() : renamed.value(), jsonType(component.getType()));
        }
        return members;
    }

    private static String jsonType(Class<?> type) {
        if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
            return "integer";
        }
        if (type == double.class || type == Double.class) {
            return "number";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "boolean";
        }
        if (type == String.class || type.isEnum()) {
            return "string";
        }
        return Iterable.class.isAssignableFrom(type) || type.isArray() || ArrayValue.class.isAssignableFrom(type)
                ? "array"
                : "object";
    }
}
