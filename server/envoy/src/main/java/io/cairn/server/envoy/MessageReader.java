package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a message of a JSON tree with the library. Its errors have neither path nor line, so after an error this reads the parts to
 * find the faulty ones. For one thread.
 */
final class MessageReader {

    private static final String ANY = "google.protobuf.Any";
    private static final String TYPE = "@type";
    private static final int MAX_SHOWN = 60;
    private static final int MAX_NAMES = 400;

    private final ApiDescriptors api;
    private final JsonFormat.Parser parser;
    private final boolean refuseUnknownFields;
    private final Report report;

    MessageReader(ApiDescriptors api, boolean refuseUnknownFields, Report report) {
        this.api = api;
        JsonFormat.Parser strict = JsonFormat.parser().usingTypeRegistry(api.types());
        this.parser = refuseUnknownFields ? strict : strict.ignoringUnknownFields();
        this.refuseUnknownFields = refuseUnknownFields;
        this.report = report;
    }

    /** Empty after reported problems. */
    Optional<DynamicMessage> read(Descriptor type, ObjectNode node) {
        if (!refuseUnknownFields) {
            // In this mode the library skips an unknown enum name without an error.
            return readCorrected(type, new EnumNames(api).corrected(type, node));
        }
        try {
            return Optional.of(parse(type, node));
        } catch (InvalidProtocolBufferException e) {
            return readCorrected(type, new EnumNames(api).corrected(type, node));
        }
    }

    private Optional<DynamicMessage> readCorrected(Descriptor type, ObjectNode node) {
        try {
            return Optional.of(parse(type, node));
        } catch (InvalidProtocolBufferException e) {
            find(type, node, Place.WHOLE);
            if (!report.hasProblems()) {
                report.problem(Place.WHOLE, String.valueOf(e.getMessage()));
            }
            return Optional.empty();
        }
    }

    private DynamicMessage parse(Descriptor type, JsonNode node) throws InvalidProtocolBufferException {
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        parser.merge(node.toString(), message);
        return message.build();
    }

    private @Nullable String error(Descriptor type, JsonNode node) {
        try {
            parse(type, node);
            return null;
        } catch (InvalidProtocolBufferException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void find(Descriptor type, JsonNode node, Place place) {
        String error = error(type, node);
        if (error == null) {
            return;
        }
        if (type.getFullName().equals(ANY)) {
            findInAny(node, place);
            return;
        }
        if (isOfTheLibrary(type)) {
            report.problem(place, shown(node) + " (expected: " + form(type) + ")");
            return;
        }
        if (!(node instanceof ObjectNode object)) {
            report.problem(place, "is " + kind(node) + " (expected: the fields of " + type.getFullName() + ")");
            return;
        }
        int before = report.problemCount();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            findInField(type, entry.getKey(), entry.getValue(), place.field(entry.getKey()));
        }
        if (report.problemCount() == before) {
            // Each field is readable; together they are not.
            report.problem(place, error);
        }
    }

    private void findInField(Descriptor type, String name, JsonNode value, Place place) {
        FieldDescriptor field = Fields.named(type, name);
        if (field == null) {
            if (refuseUnknownFields) {
                report.problem(place, "is no field of " + type.getFullName() + " (expected: " + names(type) + ")");
            }
            return;
        }
        String error = error(type, single(name, value));
        if (error == null) {
            return;
        }
        if (field.isMapField()) {
            findInMap(type, field, name, value, place);
        } else if (field.isRepeated()) {
            if (!(value instanceof ArrayNode items)) {
                report.problem(place, "is " + kind(value) + " (expected: a list)");
                return;
            }
            for (int i = 0; i < items.size(); i++) {
                JsonNode item = items.get(i);
                if (error(
                                type,
                                single(
                                        name,
                                        JsonNodeFactory.instance.arrayNode().add(item)))
                        != null) {
                    findInValue(field, item, place.item(i));
                }
            }
        } else {
            findInValue(field, value, place);
        }
    }

    private void findInMap(Descriptor type, FieldDescriptor field, String name, JsonNode value, Place place) {
        if (!(value instanceof ObjectNode entries)) {
            report.problem(place, "is " + kind(value) + " (expected: names with values)");
            return;
        }
        FieldDescriptor valueField = field.getMessageType().findFieldByName("value");
        for (Map.Entry<String, JsonNode> entry : entries.properties()) {
            if (error(type, single(name, single(entry.getKey(), entry.getValue()))) != null) {
                findInValue(valueField, entry.getValue(), place.entry(entry.getKey()));
            }
        }
    }

    private void findInValue(FieldDescriptor field, JsonNode value, Place place) {
        if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            find(field.getMessageType(), value, place);
        } else {
            report.problem(place, shown(value) + " (expected: " + form(field) + ")");
        }
    }

    private void findInAny(JsonNode node, Place place) {
        if (!(node instanceof ObjectNode object)) {
            report.problem(place, "is " + kind(node) + " (expected: a message with " + TYPE + ")");
            return;
        }
        JsonNode named = object.get(TYPE);
        if (named == null || !named.isString()) {
            report.problem(
                    place,
                    "its " + TYPE + " is missing (expected: such as "
                            + "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router)");
            return;
        }
        Descriptor type = api.messageOfUrl(named.stringValue());
        if (type == null) {
            report.problem(
                    place.field(TYPE),
                    shown(named) + " is no type of Envoy's API as the server knows it (expected:"
                            + " type.googleapis.com/ and the name of a message of version 3)");
        } else if (isOfTheLibrary(type)) {
            JsonNode value = object.get("value");
            find(type, value == null ? JsonNodeFactory.instance.nullNode() : value, place.field("value"));
        } else {
            ObjectNode inner = object.deepCopy();
            inner.remove(TYPE);
            find(type, inner, place);
        }
    }

    private static ObjectNode single(String name, JsonNode value) {
        return JsonNodeFactory.instance.objectNode().set(name, value);
    }

    /** Whether the message has its own JSON form, such as a duration. */
    private static boolean isOfTheLibrary(Descriptor type) {
        return type.getFile().getPackage().equals("google.protobuf");
    }

    private static String form(Descriptor type) {
        return switch (type.getName()) {
            case "Duration" -> "a duration in seconds, such as 0.25s or 30s";
            case "Timestamp" -> "a time, such as 2026-11-26T14:00:00Z";
            case "BoolValue" -> "true or false";
            case "StringValue" -> "a text";
            case "BytesValue" -> "bytes in base64";
            case "FloatValue", "DoubleValue" -> "a number";
            case "Int32Value", "Int64Value" -> "a whole number";
            case "UInt32Value" -> "a whole number from 0 to 4294967295";
            case "UInt64Value" -> "a whole number from 0";
            case "Struct" -> "names with values";
            case "ListValue" -> "a list";
            case "Empty" -> "{}";
            default -> type.getFullName();
        };
    }

    private static String form(FieldDescriptor field) {
        return switch (field.getType()) {
            case ENUM ->
                cut(
                        field.getEnumType().getValues().stream()
                                .map(EnumValueDescriptor::getName)
                                .collect(Collectors.joining(", ")),
                        MAX_NAMES / 2);
            case BOOL -> "true or false";
            case STRING -> "a text";
            case BYTES -> "bytes in base64";
            case FLOAT, DOUBLE -> "a number";
            case UINT32, FIXED32 -> "a whole number from 0 to 4294967295";
            case UINT64, FIXED64 -> "a whole number from 0";
            default -> "a whole number";
        };
    }

    private static String names(Descriptor type) {
        String names = type.getFields().stream().map(FieldDescriptor::getName).collect(Collectors.joining(", "));
        return names.isEmpty() ? "no field" : cut(names, MAX_NAMES / 2);
    }

    private static String kind(JsonNode node) {
        if (node.isArray()) {
            return "a list";
        }
        if (node.isObject()) {
            return "a message";
        }
        return node.isNull() ? "empty" : "the value " + shown(node);
    }

    private static String shown(JsonNode node) {
        if (node.isContainer()) {
            return node.isArray() ? "a list" : "a message";
        }
        return node.isNull() ? "empty" : "'" + cut(node.asString(), MAX_SHOWN) + "'";
    }

    private static String cut(String text, int length) {
        return text.length() > length ? text.substring(0, length) + "…" : text;
    }
}
