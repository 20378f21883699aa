package io.cairn.server.http.route;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The data of an endpoint's response, for the reference of the API. Immutable.
 *
 * @param kind whether it is one thing, a list of it or a page of a list
 * @param type {@code string}, {@code boolean}, {@code integer}, {@code object}, {@code array} or {@code null}; for a record its
 *     simple name
 * @param shape the record that Jackson writes; null for the other types
 */
public record Answer(Kind kind, String type, @Nullable Class<? extends Record> shape) {

    /** How many there are. */
    public enum Kind {
        ONE,
        LIST,
        PAGE
    }

    /** One value of a JSON type. */
    public static Answer of(String type) {
        return new Answer(Kind.ONE, type, null);
    }

    /** One object. */
    public static Answer of(Class<? extends Record> shape) {
        return new Answer(Kind.ONE, shape.getSimpleName(), shape);
    }

    /** A list of objects. */
    public static Answer listOf(Class<? extends Record> shape) {
        return new Answer(Kind.LIST, shape.getSimpleName(), shape);
    }

    /** A list of values of a JSON type. */
    public static Answer listOf(String type) {
        return new Answer(Kind.LIST, type, null);
    }

    /** One page of a list of objects. */
    public static Answer pageOf(Class<? extends Record> shape) {
        return new Answer(Kind.PAGE, shape.getSimpleName(), shape);
    }

    /** As the descriptions of responses name it. */
    String text() {
        return switch (kind) {
            case ONE -> type;
            case LIST -> '[' + type + ']';
            case PAGE -> "Page of " + type;
        };
    }

    /** The JSON type of each member of a record, in the order in which Jackson writes them. */
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
        return Iterable.class.isAssignableFrom(type) || type.isArray() ? "array" : "object";
    }
}
