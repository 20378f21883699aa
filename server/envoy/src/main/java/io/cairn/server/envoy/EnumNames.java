package io.cairn.server.envoy;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Replaces enum names by the API's. Envoy ignores their case, the protobuf library does not. */
final class EnumNames {

    private final ApiDescriptors api;

    EnumNames(ApiDescriptors api) {
        this.api = api;
    }

    ObjectNode corrected(Descriptor type, ObjectNode node) {
        ObjectNode copy = node.deepCopy();
        correct(type, copy);
        return copy;
    }

    private void correct(Descriptor type, JsonNode node) {
        if (!(node instanceof ObjectNode object)) {
            return;
        }
        if (type.getFullName().equals(Any.getDescriptor().getFullName())) {
            JsonNode named = object.get("@type");
            Descriptor inner = named != null && named.isString() ? api.messageOfUrl(named.stringValue()) : null;
            if (inner != null) {
                correct(inner, object);
            }
            return;
        }
        for (Map.Entry<String, JsonNode> entry : List.copyOf(object.properties())) {
            FieldDescriptor field = Fields.named(type, entry.getKey());
            if (field != null) {
                object.set(entry.getKey(), field(field, entry.getValue()));
            }
        }
    }

    private JsonNode field(FieldDescriptor field, JsonNode value) {
        if (field.isMapField()) {
            FieldDescriptor valueField = field.getMessageType().findFieldByName("value");
            if (value instanceof ObjectNode entries) {
                for (Map.Entry<String, JsonNode> entry : List.copyOf(entries.properties())) {
                    entries.set(entry.getKey(), value(valueField, entry.getValue()));
                }
            }
            return value;
        }
        if (field.isRepeated()) {
            if (value instanceof ArrayNode items) {
                for (int i = 0; i < items.size(); i++) {
                    items.set(i, value(field, items.get(i)));
                }
            }
            return value;
        }
        return value(field, value);
    }

    private JsonNode value(FieldDescriptor field, JsonNode value) {
        if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            correct(field.getMessageType(), value);
        } else if (field.getJavaType() == FieldDescriptor.JavaType.ENUM && value.isString()) {
            for (EnumValueDescriptor known : field.getEnumType().getValues()) {
                if (known.getName().equalsIgnoreCase(value.stringValue())) {
                    return JsonNodeFactory.instance.stringNode(known.getName());
                }
            }
        }
        return value;
    }
}
