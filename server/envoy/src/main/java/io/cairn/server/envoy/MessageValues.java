package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Reads fields of messages by name. A field without a descriptor is absent, because the descriptors may be of another version. */
final class MessageValues {

    private static final String TYPE_URL_PREFIX = "type.googleapis.com/";
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private MessageValues() {}

    /** Whether the field is set, or a list has items. */
    static boolean has(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return field != null
                && (field.isRepeated() ? message.getRepeatedFieldCount(field) > 0 : message.hasField(field));
    }

    /** The text, or the name of an enum's constant; empty if absent. */
    static String text(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return field == null ? "" : message.getField(field).toString();
    }

    static Message message(Message message, String name) {
        FieldDescriptor field =
                Objects.requireNonNull(message.getDescriptorForType().findFieldByName(name), name);
        return (Message) message.getField(field);
    }

    /** Empty if absent. */
    static List<Message> items(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return field == null
                ? List.of()
                : ((List<?>) message.getField(field))
                        .stream().map(Message.class::cast).toList();
    }

    /** Empty if absent. */
    static List<String> texts(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return field == null
                ? List.of()
                : ((List<?>) message.getField(field))
                        .stream().map(Object::toString).toList();
    }

    /** The unsigned number in a wrapper such as {@code UInt32Value}, or the default. */
    static long number(Message message, String name, long otherwise) {
        if (!has(message, name)) {
            return otherwise;
        }
        Message wrapper = message(message, name);
        Object value = wrapper.getField(wrapper.getDescriptorForType().findFieldByName("value"));
        return value instanceof Integer small ? Integer.toUnsignedLong(small) : ((Number) value).longValue();
    }

    /** A set duration in ns, as far as they fit. */
    static long nanos(Message message, String name) {
        Message duration = message(message, name);
        long seconds = ((Number) value(duration, "seconds")).longValue();
        return Math.abs(seconds) > Long.MAX_VALUE / NANOS_PER_SECOND - 1
                ? Long.signum(seconds) * Long.MAX_VALUE
                : seconds * NANOS_PER_SECOND + ((Number) value(duration, "nanos")).longValue();
    }

    /** The message name in an {@code Any}, without its package of domains, or empty. */
    static String typeOf(Message message, String name) {
        if (!has(message, name)) {
            return "";
        }
        String url = text(message(message, name), "type_url");
        return url.startsWith(TYPE_URL_PREFIX) ? url.substring(TYPE_URL_PREFIX.length()) : url;
    }

    static Map<String, Message> entries(Message message, String name) {
        return items(message, name).stream()
                .collect(Collectors.toMap(
                        entry -> text(entry, "key"), entry -> message(entry, "value"), (one, other) -> other));
    }

    private static Object value(Message message, String name) {
        return message.getField(message.getDescriptorForType().findFieldByName(name));
    }
}
