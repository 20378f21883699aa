package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The two names that a field may have in JSON: the one of the API's files, and the one in camel case. */
final class Fields {

    private Fields() {}

    /** The field of that name; null when there is none. */
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

    /** The name under which the field stands in that tree; the one of the API's files when it does not. */
    static String nameIn(JsonNode node, FieldDescriptor field) {
        return !node.has(field.getName()) && node.has(field.getJsonName()) ? field.getJsonName() : field.getName();
    }
}
