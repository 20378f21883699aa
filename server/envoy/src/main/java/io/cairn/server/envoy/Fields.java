package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The two JSON names of a field: that of the API's files, and that in camel case. */
final class Fields {

    private Fields() {}

    /** Null for an unknown field. */
    static @Nullable FieldDescriptor named(Descriptor type, String name) {
        FieldDescriptor field = type.findFieldByName(name);
        if (field != null) {
            return field;
        }
        for (FieldDescriptor candidate : type.getFields()) {
            if (candidate.getJsonName().equals(name)) {
                return candidate;
            }
        }
        return null;
    }

    /** The field's name in that tree; the API's if absent. */
    static String nameIn(JsonNode node, FieldDescriptor field) {
        return !node.has(field.getName()) && node.has(field.getJsonName()) ? field.getJsonName() : field.getName();
    }
}
