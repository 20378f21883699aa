package io.cairn.server.envoy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks values by the rules of their kind, such as {@code StringRules}.
 *
 * <p>Source: validate.proto of protoc-gen-validate.
 */
final class ValueRules {

    private ValueRules() {}

    /** Null without a problem or applicable rules. */
    static @Nullable String problem(Object value, Message rule) {
        Object plain = value instanceof Message message ? unwrapped(message) : value;
        if (isEmpty(plain) && flag(rule, "ignore_empty")) {
            return null;
        }
        if (plain instanceof String text) {
            return TextRules.problem(text, rule);
        }
        if (plain instanceof ByteString bytes) {
            return ofBytes(bytes, rule);
        }
        if (plain instanceof EnumValueDescriptor constant) {
            return ofEnum(constant, rule);
        }
        if (plain instanceof Boolean) {
            Object expected = rule.getAllFields().get(field(rule, "const"));
            return expected == null || expected.equals(plain) ? null : plain + " (expected: " + expected + ")";
        }
        if (plain instanceof Message message) {
            return switch (message.getDescriptorForType().getName()) {
                case "Duration" -> ofDuration(message, rule);
                case "Any" -> ofAny(message, rule);
                default -> null;
            };
        }
        return plain instanceof Number number ? ofNumber(number, rule) : null;
    }

    /** The value in a wrapper such as {@code UInt32Value}; other messages stay. */
    private static Object unwrapped(Message message) {
        Descriptor type = message.getDescriptorForType();
        boolean isWrapper = type.getFile().getPackage().equals("google.protobuf")
                && type.getName().endsWith("Value")
                && type.getFields().size() == 1;
        return isWrapper ? message.getField(type.getFields().get(0)) : message;
    }

    private static boolean isEmpty(Object value) {
        return value instanceof String text && text.isEmpty()
                || value instanceof ByteString bytes && bytes.isEmpty()
                || value instanceof Number number && number.doubleValue() == 0
                || value instanceof EnumValueDescriptor constant && constant.getNumber() == 0;
    }

    static boolean flag(Message rule, String name) {
        FieldDescriptor field = rule.getDescriptorForType().findFieldByName(name);
        return field != null && Boolean.TRUE.equals(rule.getField(field));
    }

    private static @Nullable FieldDescriptor field(Message rule, String name) {
        return rule.getDescriptorForType().findFieldByName(name);
    }

    private static @Nullable String ofBytes(ByteString bytes, Message rule) {
        for (Map.Entry<FieldDescriptor, Object> entry : rule.getAllFields().entrySet()) {
            String name = entry.getKey().getName();
            boolean isLength = entry.getValue() instanceof Long;
            long limit = isLength ? (Long) entry.getValue() : 0;
            if (name.equals("min_len") && bytes.size() < limit) {
                return bytes.size() + " bytes (expected: at least " + limit + ")";
            }
            if (name.equals("max_len") && bytes.size() > limit) {
                return bytes.size() + " bytes (expected: at most " + limit + ")";
            }
            if (name.equals("len") && bytes.size() != limit) {
                return bytes.size() + " bytes (expected: " + limit + ")";
            }
        }
        return null;
    }

    private static @Nullable String ofEnum(EnumValueDescriptor constant, Message rule) {
        for (Map.Entry<FieldDescriptor, Object> entry : rule.getAllFields().entrySet()) {
            Object expected = entry.getValue();
            boolean isIn = expected instanceof List<?> list && list.contains(constant.getNumber());
            switch (entry.getKey().getName()) {
                case "defined_only" -> {
                    // The descriptor of an unknown number has no index in the list.
                    if (constant.getIndex() < 0) {
                        return "'" + constant.getNumber() + "' is none of the values of "
                                + constant.getType().getFullName();
                    }
                }
                case "const" -> {
                    if (!expected.equals(constant.getNumber())) {
                        return constant.getName() + " (expected: " + nameOf(constant, expected) + ")";
                    }
                }
                case "in" -> {
                    if (!isIn) {
                        return constant.getName() + " (expected: " + namesOf(constant, expected) + ")";
                    }
                }
                case "not_in" -> {
                    if (isIn) {
                        return constant.getName() + " is not allowed here";
                    }
                }
                default -> {}
            }
        }
        return null;
    }

    private static String namesOf(EnumValueDescriptor constant, Object numbers) {
        return String.join(
                ", ",
                ((List<?>) numbers)
                        .stream().map(number -> nameOf(constant, number)).toList());
    }

    private static String nameOf(EnumValueDescriptor constant, Object number) {
        EnumValueDescriptor named = constant.getType().findValueByNumber((Integer) number);
        return named == null ? String.valueOf(number) : named.getName();
    }

    private static @Nullable String ofAny(Message any, Message rule) {
        Object url = any.getField(any.getDescriptorForType().findFieldByName("type_url"));
        for (Map.Entry<FieldDescriptor, Object> entry : rule.getAllFields().entrySet()) {
            boolean isIn = entry.getValue() instanceof List<?> list && list.contains(url);
            if (entry.getKey().getName().equals("in") && !isIn) {
                return "'" + url + "' (expected: one of " + entry.getValue() + ")";
            }
            if (entry.getKey().getName().equals("not_in") && isIn) {
                return "'" + url + "' is not allowed here";
            }
        }
        return null;
    }

    private static @Nullable String ofDuration(Message duration, Message rule) {
        return ofComparable(seconds(duration), rule, limit -> seconds((Message) limit), limit -> limit + "s");
    }

    private static BigDecimal seconds(Message duration) {
        Descriptor type = duration.getDescriptorForType();
        Duration value = Duration.ofSeconds((Long) duration.getField(type.findFieldByName("seconds")), (Integer)
                duration.getField(type.findFieldByName("nanos")));
        return BigDecimal.valueOf(value.getSeconds())
                .add(BigDecimal.valueOf(value.getNano(), 9))
                .stripTrailingZeros();
    }

    private static @Nullable String ofNumber(Number number, Message rule) {
        // The limits have the kind of the rules, which shows whether a negative long is a large unsigned one.
        FieldDescriptor kind = field(rule, "const");
        if (kind == null || number instanceof Double value && (value.isNaN() || value.isInfinite())) {
            return number + " (expected: a finite number)";
        }
        return ofComparable(
                decimal(number, kind), rule, limit -> decimal((Number) limit, kind), BigDecimal::toPlainString);
    }

    private static BigDecimal decimal(Number number, FieldDescriptor kind) {
        return switch (kind.getType()) {
            case UINT32, FIXED32 -> BigDecimal.valueOf(Integer.toUnsignedLong(number.intValue()));
            case UINT64, FIXED64 -> new BigDecimal(new BigInteger(Long.toUnsignedString(number.longValue())));
            case FLOAT, DOUBLE -> new BigDecimal(number.toString());
            default -> BigDecimal.valueOf(number.longValue());
        };
    }

    private interface Reading {
        BigDecimal read(Object limit);
    }

    private interface Words {
        String of(BigDecimal value);
    }

    private static @Nullable String ofComparable(BigDecimal value, Message rule, Reading reading, Words words) {
        BigDecimal least = null;
        BigDecimal most = null;
        boolean isAboveLeast = true;
        boolean isBelowMost = true;
        String expectedLeast = "";
        String expectedMost = "";
        for (Map.Entry<FieldDescriptor, Object> entry : rule.getAllFields().entrySet()) {
            Object limits = entry.getValue();
            switch (entry.getKey().getName()) {
                case "gt", "gte" -> {
                    boolean isOpen = entry.getKey().getName().equals("gt");
                    least = reading.read(limits);
                    isAboveLeast = value.compareTo(least) >= (isOpen ? 1 : 0);
                    expectedLeast = (isOpen ? "more than " : "at least ") + words.of(plain(least));
                }
                case "lt", "lte" -> {
                    boolean isOpen = entry.getKey().getName().equals("lt");
                    most = reading.read(limits);
                    isBelowMost = value.compareTo(most) <= (isOpen ? -1 : 0);
                    expectedMost = (isOpen ? "less than " : "at most ") + words.of(plain(most));
                }
                case "const" -> {
                    if (value.compareTo(reading.read(limits)) != 0) {
                        return words.of(plain(value)) + " (expected: " + words.of(plain(reading.read(limits))) + ")";
                    }
                }
                case "in", "not_in" -> {
                    boolean isIn =
                            ((List<?>) limits).stream().anyMatch(limit -> value.compareTo(reading.read(limit)) == 0);
                    if (isIn != entry.getKey().getName().equals("in")) {
                        return words.of(plain(value)) + (isIn ? " is not allowed here" : " (expected: another value)");
                    }
                }
                default -> {}
            }
        }
        // A lower limit above the upper one selects the values outside.
        boolean isOutside = least != null && most != null && least.compareTo(most) > 0;
        boolean isIn = isOutside ? isAboveLeast || isBelowMost : isAboveLeast && isBelowMost;
        if (isIn) {
            return null;
        }
        String expected = expectedLeast.isEmpty() || expectedMost.isEmpty()
                ? expectedLeast + expectedMost
                : expectedLeast + (isOutside ? " or " : ", ") + expectedMost;
        return words.of(plain(value)) + " (expected: " + expected + ")";
    }

    private static BigDecimal plain(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }
}
