package io.cairn.client.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Binds trees of maps, lists and scalars to records. A component matches its name also in kebab case and snake case; unknown
 * names are ignored. Supported types: records, enums, text, numbers, booleans, {@link Duration} ({@code 5s}, {@code 100ms},
 * {@code PT5S}), {@link Instant}, {@link URI}, {@link Optional}, {@link List}, {@link Set}, {@link Map} with text keys, and
 * {@code Object}. Names in a map of scalars may contain dots.
 */
final class RecordBinder {

    private RecordBinder() {}

    /**
     * @param where the source of the tree, for messages
     * @throws IllegalArgumentException when a value is missing or has another type
     */
    static <T> T bind(@Nullable Object tree, Class<T> type, String where) {
        Object value = convert(tree == null ? Map.of() : tree, type, where);
        if (value == null) {
            throw new IllegalArgumentException(where + ": nothing (expected: " + type.getSimpleName() + ')');
        }
        return type.cast(value);
    }

    private static @Nullable Object convert(@Nullable Object value, Type type, String where) {
        if (type instanceof ParameterizedType generic) {
            return convertGeneric(value, generic, where);
        }
        if (!(type instanceof Class<?> target)) {
            throw new IllegalArgumentException(where + ": components of type " + type + " are not understood");
        }
        if (target == Optional.class || target == List.class || target == Map.class || target == Set.class) {
            throw new IllegalArgumentException(where + ": " + target.getSimpleName() + " needs a type in brackets");
        }
        if (value == null) {
            if (target.isPrimitive()) {
                throw new IllegalArgumentException(where + ": nothing (expected: " + target + ')');
            }
            return null;
        }
        if (target == Object.class) {
            return value;
        }
        if (target.isRecord()) {
            return record(value, target, where);
        }
        return plain(value, target, where);
    }

    private static @Nullable Object convertGeneric(@Nullable Object value, ParameterizedType type, String where) {
        Type[] inner = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) {
            return Optional.ofNullable(convert(value, inner[0], where));
        }
        if (type.getRawType() == Map.class && inner[0] == String.class) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            if (value instanceof Map<?, ?> entries) {
                Map<?, ?> named = isPlain(inner[1]) ? flat(entries) : entries;
                named.forEach((name, one) -> map.put(String.valueOf(name), convert(one, inner[1], where + '.' + name)));
            } else if (value != null) {
                throw wrong(value, "a map", where);
            }
            return map;
        }
        if (type.getRawType() == List.class || type.getRawType() == Set.class) {
            List<@Nullable Object> list = new ArrayList<>();
            List<?> elements = value == null
                    ? List.of()
                    : value instanceof List<?> many
                            ? many
                            // A single value, or several with commas, as in properties.
                            : Arrays.asList(plain(value, String.class, where)
                                    .toString()
                                    .strip()
                                    .split("\\s*,\\s*"));
            for (int i = 0; i < elements.size(); i++) {
                list.add(convert(elements.get(i), inner[0], where + '[' + i + ']'));
            }
            return type.getRawType() == Set.class ? new LinkedHashSet<>(list) : list;
        }
        throw new IllegalArgumentException(where + ": components of type " + type + " are not understood");
    }

    /** Whether values of this type are scalars, so that a dot is a part of the name. */
    private static boolean isPlain(Type type) {
        return type instanceof Class<?> target && target != Object.class && !target.isRecord();
    }

    /** {@code a: {b: 1}} becomes {@code a.b: 1}. */
    private static Map<String, @Nullable Object> flat(Map<?, ?> tree) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>();
        tree.forEach((name, value) -> {
            if (value instanceof Map<?, ?> deeper) {
                flat(deeper).forEach((rest, one) -> flat.put(name + "." + rest, one));
            } else {
                flat.put(String.valueOf(name), value);
            }
        });
        return flat;
    }

    private static Object record(Object value, Class<?> type, String where) {
        if (!(value instanceof Map<?, ?> map)) {
            throw wrong(value, "a map", where);
        }
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] arguments = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            String name = components[i].getName();
            arguments[i] = convert(find(map, name), components[i].getGenericType(), where + '.' + name);
        }
        try {
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            Throwable refused = e.getTargetException();
            throw new IllegalArgumentException(where + ": " + refused.getMessage(), refused);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalArgumentException(where + ": " + type + " cannot be made: " + e.getMessage(), e);
        }
    }

    private static @Nullable Object find(Map<?, ?> map, String name) {
        if (map.containsKey(name)) {
            return map.get(name);
        }
        String kebab = name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
        return map.containsKey(kebab) ? map.get(kebab) : map.get(kebab.replace('-', '_'));
    }

    private static Object plain(Object value, Class<?> type, String where) {
        if (value instanceof Map<?, ?> || value instanceof List<?>) {
            throw wrong(value, type.getSimpleName(), where);
        }
        String text = String.valueOf(value).strip();
        try {
            return parse(value, text, type, where);
        } catch (NumberFormatException | java.time.DateTimeException | ArithmeticException e) {
            throw wrong(value, type.getSimpleName(), where);
        }
    }

    private static Object parse(Object value, String text, Class<?> type, String where) {
        if (type == String.class) {
            return String.valueOf(value);
        }
        if (type == boolean.class || type == Boolean.class) {
            if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
                return text.equalsIgnoreCase("true");
            }
            throw wrong(value, "true or false", where);
        }
        if (type == int.class || type == Integer.class) {
            return new BigDecimal(text).intValueExact();
        }
        if (type == long.class || type == Long.class) {
            return new BigDecimal(text).longValueExact();
        }
        if (type == double.class || type == Double.class) {
            return Double.parseDouble(text);
        }
        if (type == float.class || type == Float.class) {
            return Float.parseFloat(text);
        }
        if (type == short.class || type == Short.class) {
            return new BigDecimal(text).shortValueExact();
        }
        if (type == BigDecimal.class) {
            return new BigDecimal(text);
        }
        if (type == BigInteger.class) {
            return new BigDecimal(text).toBigIntegerExact();
        }
        if (type == Duration.class) {
            return duration(text);
        }
        if (type == Instant.class) {
            return Instant.parse(text);
        }
        if (type == URI.class) {
            return URI.create(text);
        }
        if (type.isEnum()) {
            return enumConstant(value, text, type, where);
        }
        throw new IllegalArgumentException(where + ": components of type " + type.getName() + " are not understood");
    }

    private static Object enumConstant(Object value, String text, Class<?> type, String where) {
        String wanted = text.replace('-', '_');
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equalsIgnoreCase(wanted)) {
                return constant;
            }
        }
        throw wrong(value, "one of " + Arrays.toString(type.getEnumConstants()), where);
    }

    /**
     * {@code PT5S}, or a whole number with {@code ms}, {@code s}, {@code m}, {@code h} or {@code d}; {@code ms} without a
     * unit.
     */
    private static Duration duration(String text) {
        if (text.startsWith("P") || text.startsWith("-P")) {
            return Duration.parse(text);
        }
        int digits = 0;
        while (digits < text.length() && (Character.isDigit(text.charAt(digits)) || text.charAt(digits) == '-')) {
            digits++;
        }
        long number = Long.parseLong(text.substring(0, digits));
        return switch (text.substring(digits).strip().toLowerCase(Locale.ROOT)) {
            case "", "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            case "d" -> Duration.ofDays(number);
            default -> throw new NumberFormatException(text);
        };
    }

    private static IllegalArgumentException wrong(Object value, String expected, String where) {
        String seen = String.valueOf(value);
        return new IllegalArgumentException(where + ": '" + (seen.length() > 100 ? seen.substring(0, 100) + "…" : seen)
                + "' (expected: " + expected + ')');
    }
}
