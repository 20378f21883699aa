package io.cairn.api.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Reads the fields of a message in sequence; unknown ones are {@linkplain #skip skipped}. Methods with a default return it for null, and for a blank text in place of a number or boolean. Not thread-safe.
 */
public final class JsonInput {

    private static final int MAX_TEXT_LENGTH = 128 * 1024 * 1024;
    private static final int MAX_DEPTH = 64;
    /** The length of a rejected value in an error message, in characters. */
    private static final int MAX_SHOWN = 64;

    private static final Pattern DECIMAL = Pattern.compile("[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?");
    private static final JsonFactory FACTORY = JsonFactory.builder()
            // NaN and Infinity are parsed, so that the error names their field.
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(MAX_TEXT_LENGTH)
                    .maxNestingDepth(MAX_DEPTH)
                    .build())
            .build();

    private final JsonParser parser;

    private JsonInput(JsonParser parser) {
        this.parser = parser;
    }

    /** @throws MalformedMessageException for other text than one JSON object, or a field of a wrong type */
    public static <T> T read(String json, Function<JsonInput, T> reader) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            return read(parser, reader);
        } catch (JacksonException e) {
            throw invalid(e);
        }
    }

    /** @throws MalformedMessageException as {@link #read(String, Function)} */
    public static <T> T read(Payload payload, Function<JsonInput, T> reader) {
        try (JsonParser parser = FACTORY.createParser(
                ObjectReadContext.empty(), payload.encoded(), payload.bodyOffset(), payload.bodyLength())) {
            return read(parser, reader);
        } catch (JacksonException e) {
            throw invalid(e);
        }
    }

    private static <T> T read(JsonParser parser, Function<JsonInput, T> reader) {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedMessageException("the body is not a JSON object");
        }
        T message = reader.apply(new JsonInput(parser));
        if (parser.nextToken() != null) {
            throw new MalformedMessageException("the body goes on after its JSON object");
        }
        return message;
    }

    private static MalformedMessageException invalid(JacksonException e) {
        return new MalformedMessageException("the body is not valid JSON: " + e.getOriginalMessage(), e);
    }

    /** Moves to the next field and returns its name; null at the end of the object. */
    public @Nullable String nextField() {
        return parser.nextName();
    }

    /** Accepts numbers and booleans as text; rejects unpaired surrogates, which have no UTF-8 form. */
    public @Nullable String text() {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_STRING) {
            String text = parser.getString();
            int half = halfCharacter(text);
            if (half >= 0) {
                throw MalformedMessageException.ofField(
                        parser.currentName(),
                        String.format("\\u%04X alone at character %d", (int) text.charAt(half), half),
                        "text in which each high surrogate is followed by a low one");
            }
            return text;
        }
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (token != null && token.isScalarValue() && !parser.isNaN()) {
            return parser.getString();
        }
        throw wrong("text", token);
    }

    public String textOr(String ifNull) {
        String text = text();
        return text == null ? ifNull : text;
    }

    /** Accepts a boolean, also in quotes or as 0 or 1. */
    public boolean flag(boolean ifNull) {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            return token == JsonToken.VALUE_TRUE;
        }
        if (token == JsonToken.VALUE_NULL) {
            return ifNull;
        }
        if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT) {
            switch (parser.getString().trim().toLowerCase(Locale.ROOT)) {
                case "" -> {
                    return ifNull;
                }
                case "true", "1" -> {
                    return true;
                }
                case "false", "0" -> {
                    return false;
                }
                default -> {
                    // Rejected below.
                }
            }
        }
        throw wrong("a boolean", token);
    }

    /** Accepts a whole number, also in quotes or with a fraction of zero such as {@code 80.0}. */
    public int number(int ifNull) {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() == JsonParser.NumberType.INT) {
            return parser.getIntValue();
        }
        if (token == JsonToken.VALUE_NULL) {
            return ifNull;
        }
        if (token == JsonToken.VALUE_NUMBER_FLOAT) {
            double value = parser.getDoubleValue();
            if ((int) value == value) {
                return (int) value;
            }
        } else if (token == JsonToken.VALUE_STRING) {
            String text = parser.getString().trim();
            if (text.isEmpty()) {
                return ifNull;
            }
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException e) {
                throw wrong("a whole number from -2147483648 to 2147483647", token);
            }
        }
        throw wrong("a whole number from -2147483648 to 2147483647", token);
    }

    /** Accepts a finite number, also in quotes. */
    public double decimal(double ifNull) {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NULL) {
            return ifNull;
        }
        double value = Double.NaN;
        if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
            value = parser.getDoubleValue();
        } else if (token == JsonToken.VALUE_STRING) {
            String text = parser.getString().trim();
            if (text.isEmpty()) {
                return ifNull;
            }
            value = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        }
        if (!Double.isFinite(value)) {
            throw wrong("a number", token);
        }
        return value;
    }

    /** Accepts a list of scalars; null counts as empty, and null elements are dropped. */
    public List<String> textList() {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NULL) {
            return List.of();
        }
        if (token != JsonToken.START_ARRAY) {
            throw wrong("an array", token);
        }
        List<String> texts = new ArrayList<>();
        for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
            if (next != null && next.isScalarValue() && next != JsonToken.VALUE_NULL) {
                texts.add(parser.getString());
            } else if (next != JsonToken.VALUE_NULL) {
                throw wrong("an array of texts", next);
            }
        }
        return texts;
    }

    /** Null counts as absent. */
    public <T> @Nullable T object(Function<JsonInput, T> reader) {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (token != JsonToken.START_OBJECT) {
            throw wrong("an object", token);
        }
        return reader.apply(this);
    }

    /** Reads a map of texts without null values; null counts as absent. */
    public @Nullable Map<String, String> texts() {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (token != JsonToken.START_OBJECT) {
            throw wrong("an object", token);
        }
        Map<String, String> texts = new LinkedHashMap<>();
        for (String name = nextField(); name != null; name = nextField()) {
            String value = text();
            if (value != null) {
                texts.put(name, value);
            }
        }
        return texts;
    }

    /** Null counts as empty. */
    public <T> List<T> objects(Function<JsonInput, T> reader) {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_NULL) {
            return List.of();
        }
        if (token != JsonToken.START_ARRAY) {
            throw wrong("an array", token);
        }
        List<T> objects = new ArrayList<>();
        for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
            if (next != JsonToken.START_OBJECT) {
                throw wrong("an array of objects", next);
            }
            objects.add(reader.apply(this));
        }
        return objects;
    }

    public void skip() {
        parser.nextToken();
        parser.skipChildren();
    }

    /** The index of an unpaired surrogate; -1 in a valid text. */
    private static int halfCharacter(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    private MalformedMessageException wrong(String expected, @Nullable JsonToken seen) {
        return MalformedMessageException.ofField(parser.currentName(), seen(seen), expected);
    }

    private String seen(@Nullable JsonToken token) {
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> '"' + shortened(parser.getString()) + '"';
            default -> shortened(parser.getString());
        };
    }

    private static String shortened(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
    }
}
