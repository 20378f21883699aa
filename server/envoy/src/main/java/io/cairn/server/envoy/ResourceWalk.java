package io.cairn.server.envoy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Visits a message and all messages in it, also in {@code Any}, with their parts of the tree. */
final class ResourceWalk {

    private static final String ANY = "google.protobuf.Any";

    private final ApiDescriptors api;
    private final List<Visitor> visitors;

    /** Is shown each message of Envoy's API. */
    interface Visitor {
        void visit(Message message, JsonNode node, Place place);
    }

    ResourceWalk(ApiDescriptors api, List<Visitor> visitors) {
        this.api = api;
        this.visitors = visitors;
    }

    /** @param node the tree of the message, or missing */
    void walk(Message message, JsonNode node, Place place) {
        Descriptor type = message.getDescriptorForType();
        if (type.getFullName().equals(ANY)) {
            walkAny(message, node, place);
            return;
        }
        if (type.getFile().getPackage().equals("google.protobuf")) {
            return;
        }
        for (Visitor visitor : visitors) {
            visitor.visit(message, node, place);
        }
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            FieldDescriptor field = entry.getKey();
            if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                String name = Fields.nameIn(node, field);
                walkField(field, entry.getValue(), node.path(name), place.field(name));
            }
        }
    }

    private void walkField(FieldDescriptor field, Object value, JsonNode node, Place place) {
        if (field.isMapField()) {
            FieldDescriptor key = field.getMessageType().findFieldByName("key");
            FieldDescriptor entryValue = field.getMessageType().findFieldByName("value");
            if (entryValue.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                for (Object entry : (List<?>) value) {
                    String name = String.valueOf(((Message) entry).getField(key));
                    walk((Message) ((Message) entry).getField(entryValue), node.path(name), place.entry(name));
                }
            }
        } else if (field.isRepeated()) {
            List<?> items = (List<?>) value;
            for (int i = 0; i < items.size(); i++) {
                walk((Message) items.get(i), node.path(i), place.item(i));
            }
        } else {
            walk((Message) value, node, place);
        }
    }

    private void walkAny(Message any, JsonNode node, Place place) {
        Descriptor type = any.getDescriptorForType();
        Object url = any.getField(type.findFieldByName("type_url"));
        Object value = any.getField(type.findFieldByName("value"));
        Descriptor inner = api.messageOfUrl((String) url);
        if (inner == null) {
            return;
        }
        try {
            walk(
                    DynamicMessage.parseFrom(inner, (ByteString) value),
                    node.isObject() ? node : MissingNode.getInstance(),
                    place);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message that was encoded just before cannot be read: " + url, e);
        }
    }
}
