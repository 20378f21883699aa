package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Checks written fields: unquoted numbers for texts, which Envoy refuses, deprecated fields, and unknown fields where these are
 * warnings. For one thread.
 */
final class FieldCheck implements ResourceWalk.Visitor {

    private final Report report;

    FieldCheck(Report report) {
        this.report = report;
    }

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        Descriptor type = message.getDescriptorForType();
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            String name = entry.getKey();
            FieldDescriptor field = Fields.named(type, name);
            if (field == null) {
                if (!name.equals("@type")) {
                    report.warning(
                            place.field(name),
                            "is no field of " + type.getFullName() + " as the server knows it, and is left out");
                }
                continue;
            }
            if (field.getOptions().getDeprecated()) {
                report.warning(place.field(name), "is deprecated in Envoy's API");
            }
            checkTexts(field, entry.getValue(), place.field(name));
        }
    }

    private void checkTexts(FieldDescriptor field, JsonNode value, Place place) {
        if (field.isMapField()) {
            FieldDescriptor ofValues = field.getMessageType().findFieldByName("value");
            value.properties().forEach(entry -> checkText(ofValues, entry.getValue(), place.entry(entry.getKey())));
        } else if (field.isRepeated()) {
            for (int i = 0; i < value.size(); i++) {
                checkText(field, value.get(i), place.item(i));
            }
        } else {
            checkText(field, value, place);
        }
    }

    private void checkText(FieldDescriptor field, JsonNode value, Place place) {
        if (field.getJavaType() == FieldDescriptor.JavaType.STRING && (value.isNumber() || value.isBoolean())) {
            report.problem(
                    place,
                    value + " is " + (value.isNumber() ? "a number" : "a truth value")
                            + " (expected: a text; put it in quotes)");
        }
    }
}
