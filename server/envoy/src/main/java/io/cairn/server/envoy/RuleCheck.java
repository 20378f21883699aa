package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Checks messages by the rules in the options of their fields. For one thread. */
final class RuleCheck implements ResourceWalk.Visitor {

    private final ValidationRules rules;
    private final Report report;

    RuleCheck(ValidationRules rules, Report report) {
        this.rules = rules;
        this.report = report;
    }

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        Descriptor type = message.getDescriptorForType();
        if (!rules.appliesTo(type)) {
            return;
        }
        for (OneofDescriptor oneof : type.getRealOneofs()) {
            if (rules.isRequired(oneof) && !message.hasOneof(oneof)) {
                String members =
                        oneof.getFields().stream().map(FieldDescriptor::getName).collect(Collectors.joining(", "));
                report.problem(place, oneof.getName() + " is missing (expected: one of " + members + ")");
            }
        }
        for (FieldDescriptor field : type.getFields()) {
            Message fieldRules = rules.of(field);
            if (fieldRules != null && !(field.getContainingOneof() != null && !message.hasField(field))) {
                String name = Fields.nameIn(node, field);
                check(message, field, fieldRules, place.field(name));
            }
        }
    }

    private void check(Message message, FieldDescriptor field, Message fieldRules, Place place) {
        boolean isMessage = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isRepeated();
        if (isMessage && !message.hasField(field)) {
            if (isRequired(fieldRules)) {
                report.problem(
                        place, "is missing (expected: " + field.getMessageType().getFullName() + ")");
            }
            return;
        }
        for (Map.Entry<FieldDescriptor, Object> entry :
                fieldRules.getAllFields().entrySet()) {
            Object ofKind = entry.getValue();
            switch (entry.getKey().getName()) {
                case "message" -> {
                    // Whether it is required was looked at before.
                }
                case "repeated" -> checkList((List<?>) message.getField(field), (Message) ofKind, place);
                case "map" -> checkMap(field, (List<?>) message.getField(field), (Message) ofKind, place);
                default -> checkValue(message.getField(field), (Message) ofKind, place);
            }
        }
    }

    /** By the rules for messages in general, or of its kind, such as durations. */
    private static boolean isRequired(Message fieldRules) {
        for (Object ofKind : fieldRules.getAllFields().values()) {
            Message kind = (Message) ofKind;
            FieldDescriptor required = kind.getDescriptorForType().findFieldByName("required");
            if (required != null && Boolean.TRUE.equals(kind.getField(required))) {
                return true;
            }
        }
        return false;
    }

    private void checkList(List<?> items, Message rule, Place place) {
        if (items.isEmpty() && ignoresEmpty(rule)) {
            return;
        }
        checkCount(items.size(), rule, "min_items", "max_items", "item", place);
        FieldDescriptor unique = rule.getDescriptorForType().findFieldByName("unique");
        if (unique != null && Boolean.TRUE.equals(rule.getField(unique))) {
            Set<Object> seen = new HashSet<>();
            for (int i = 0; i < items.size(); i++) {
                if (!seen.add(items.get(i))) {
                    report.problem(place.item(i), "'" + items.get(i) + "' stands there twice (expected: each once)");
                }
            }
        }
        FieldDescriptor ofItems = rule.getDescriptorForType().findFieldByName("items");
        if (ofItems != null && rule.hasField(ofItems)) {
            for (int i = 0; i < items.size(); i++) {
                checkPart(items.get(i), (Message) rule.getField(ofItems), place.item(i));
            }
        }
    }

    private void checkMap(FieldDescriptor field, List<?> entries, Message rule, Place place) {
        if (entries.isEmpty() && ignoresEmpty(rule)) {
            return;
        }
        checkCount(entries.size(), rule, "min_pairs", "max_pairs", "entry", place);
        for (String part : List.of("key", "value")) {
            FieldDescriptor ofParts = rule.getDescriptorForType().findFieldByName(part + "s");
            if (ofParts == null || !rule.hasField(ofParts)) {
                continue;
            }
            FieldDescriptor key = field.getMessageType().findFieldByName("key");
            FieldDescriptor checked = field.getMessageType().findFieldByName(part);
            for (Object entry : entries) {
                Place at = place.entry(String.valueOf(((Message) entry).getField(key)));
                checkPart(((Message) entry).getField(checked), (Message) rule.getField(ofParts), at);
            }
        }
    }

    /** Checks an item of a list, or a key or value of a map. */
    private void checkPart(Object value, Message fieldRules, Place place) {
        fieldRules.getAllFields().forEach((kind, ofKind) -> {
            if (!kind.getName().equals("message")) {
                checkValue(value, (Message) ofKind, place);
            }
        });
    }

    private void checkCount(int count, Message rule, String least, String most, String unit, Place place) {
        for (Map.Entry<FieldDescriptor, Object> entry : rule.getAllFields().entrySet()) {
            String name = entry.getKey().getName();
            if (name.equals(least) && count < ((Number) entry.getValue()).longValue()) {
                report.problem(
                        place,
                        (count == 0 ? "is empty" : "has " + count) + " (expected: at least " + entry.getValue() + " "
                                + unit + ")");
            } else if (name.equals(most) && count > ((Number) entry.getValue()).longValue()) {
                report.problem(place, "has " + count + " (expected: at most " + entry.getValue() + ")");
            }
        }
    }

    private static boolean ignoresEmpty(Message rule) {
        FieldDescriptor ignore = rule.getDescriptorForType().findFieldByName("ignore_empty");
        return ignore != null && Boolean.TRUE.equals(rule.getField(ignore));
    }

    private void checkValue(Object value, Message rule, Place place) {
        String problem = ValueRules.problem(value, rule);
        if (problem != null) {
            report.problem(place, problem);
        }
    }
}
