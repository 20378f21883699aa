package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one parameter: name, type, default, limits and a sentence. Forms list it, readers and actions read its value with
 * it, and the reference of the API is made of it. Immutable.
 *
 * <pre>{@code
 * static final Parameter<Integer> CHECK_PORT = Parameter.integer("checkPort", "The port of the health check").within(0, 65535);
 *
 * Form.of(CHECK_PORT.required());
 * int port = CHECK_PORT.of(request);
 * }</pre>
 *
 * @param <T> the type of the value
 */
public final class Parameter<T> {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

    private final String name;
    private final String sentence;
    private final boolean inHeader;
    private final boolean required;
    private final Schema schema;
    private final Predicate<String> absent;
    private final BiFunction<String, String, T> reader;
    private final @Nullable T fallback;

    private Parameter(
            String name,
            String sentence,
            boolean inHeader,
            boolean required,
            Schema schema,
            Predicate<String> absent,
            BiFunction<String, String, T> reader,
            @Nullable T fallback) {
        this.name = name;
        this.sentence = sentence;
        this.inHeader = inHeader;
        this.required = required;
        this.schema = schema;
        this.absent = absent;
        this.reader = reader;
        this.fallback = fallback;
    }

    /**
     * The value in the reference of the API.
     *
     * @param type {@code string}, {@code integer}, {@code number} or {@code boolean}
     * @param fallback the default; null without one
     * @param least null without a limit
     * @param most null without a limit
     * @param values the values that have a meaning; empty where all have one
     */
    record Schema(
            String type,
            @Nullable Object fallback,
            @Nullable Number least,
            @Nullable Number most,
            List<String> values) {

        static Schema of(String type) {
            return new Schema(type, null, null, null, List.of());
        }
    }

    /** A text; a blank one counts as absent. */
    public static Parameter<String> text(String name, String sentence) {
        return of(name, sentence, "string", String::isBlank, (text, of) -> text);
    }

    /** A text that may be empty. */
    public static Parameter<String> exact(String name, String sentence) {
        return of(name, sentence, "string", text -> false, (text, of) -> text);
    }

    public static Parameter<String> header(String name, String sentence) {
        return new Parameter<>(
                name, sentence, true, false, Schema.of("string"), text -> false, (text, of) -> text, null);
    }

    public static Parameter<Integer> integer(String name, String sentence) {
        return of(name, sentence, "integer", String::isBlank, Parameter::number);
    }

    public static Parameter<Double> decimal(String name, String sentence) {
        return of(name, sentence, "number", String::isBlank, Parameter::fraction);
    }

    /** A time such as {@code 500ms}, {@code 10s}, {@code 5m} or {@code 1h}, within these limits. */
    public static Parameter<Duration> duration(String name, String sentence, Duration least, Duration most) {
        return of(name, sentence, "string", String::isBlank, (text, of) -> {
            Duration value = duration(text.trim());
            if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER,
                        name + ": '" + text + "' (expected: a time such as 500ms, 10s, 5m or 1h, from "
                                + least.toSeconds() + "s to " + most.toSeconds() + "s)");
            }
            return value;
        });
    }

    /** Null for another text. */
    private static @Nullable Duration duration(String text) {
        Matcher parts = DURATION.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        long number = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    /** Whether the text says yes: {@code true}, {@code on}, {@code yes}, {@code y} or {@code t}; every other text says no. */
    public static Parameter<Boolean> flag(String name, String sentence) {
        return of(name, sentence, "boolean", String::isBlank, (text, of) -> isYes(text))
                .orNone();
    }

    /**
     * A parameter of another type; a blank text counts as absent.
     *
     * @param type in the reference
     * @param reader makes the value of text and name, or throws a {@link CairnException}
     */
    public static <T> Parameter<T> of(String name, String type, String sentence, BiFunction<String, String, T> reader) {
        return of(name, sentence, type, String::isBlank, reader);
    }

    /** A parameter that clients of Nacos send and no action reads. */
    public static Parameter<String> ignored(String name, String type) {
        return exact(name, "Ignored").typed(type);
    }

    private static <T> Parameter<T> of(
            String name, String sentence, String type, Predicate<String> absent, BiFunction<String, String, T> reader) {
        return new Parameter<>(name, sentence, false, false, Schema.of(type), absent, reader, null);
    }

    public static int number(String text, String name) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw ParameterException.notANumber(name, text, e);
        }
    }

    private static double fraction(String text, String name) {
        try {
            return Double.parseDouble(text.trim());
        } catch (NumberFormatException e) {
            throw ParameterException.notANumber(name, text, e);
        }
    }

    public static boolean isYes(String text) {
        return switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "true", "on", "yes", "y", "t" -> true;
            default -> false;
        };
    }

    /** The same parameter, for which {@code None} counts as absent; old Python SDKs send it for an absent value. */
    public Parameter<T> orNone() {
        return absentAs("None");
    }

    /** The same parameter of an endpoint that refuses requests without it. */
    public Parameter<T> required() {
        return new Parameter<>(name, sentence, inHeader, true, schema, absent, reader, fallback);
    }

    /** The same parameter with a default. */
    public Parameter<T> orElse(T value) {
        Schema with = new Schema(schema.type, value, schema.least, schema.most, schema.values);
        return new Parameter<>(name, sentence, inHeader, required, with, absent, reader, value);
    }

    /** The same parameter under another name, as another version of the API has it. */
    public Parameter<T> named(String other) {
        return new Parameter<>(other, sentence, inHeader, required, schema, absent, reader, fallback);
    }

    /** The same parameter, for which this text counts as absent too. */
    public Parameter<T> absentAs(String other) {
        Predicate<String> before = absent;
        return new Parameter<>(
                name,
                sentence,
                inHeader,
                required,
                schema,
                text -> before.test(text) || other.equals(text),
                reader,
                fallback);
    }

    /** The same parameter, whose value the function makes of the former one. */
    public <R> Parameter<R> as(Function<? super T, ? extends R> function) {
        return new Parameter<>(
                name,
                sentence,
                inHeader,
                required,
                schema,
                absent,
                (text, of) -> function.apply(reader.apply(text, of)),
                fallback == null ? null : function.apply(fallback));
    }

    /** The same parameter with another type in the reference: its value is read as a text and parsed later. */
    public Parameter<T> typed(String type) {
        return with(new Schema(type, schema.fallback, schema.least, schema.most, schema.values), reader);
    }

    /** The same parameter with the values that have a meaning. */
    public Parameter<T> values(String... words) {
        return with(new Schema(schema.type, schema.fallback, schema.least, schema.most, List.of(words)), reader);
    }

    /** The same parameter of numbers in these limits; others are refused with name, value and limits. */
    public Parameter<T> within(Number least, Number most) {
        return within(least, most, value -> {
            double number = ((Number) value).doubleValue();
            if (!(number >= least.doubleValue() && number <= most.doubleValue())) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, name + ": " + value + " (expected: " + least + '-' + most + ')');
            }
        });
    }

    /**
     * As {@link #within(Number, Number)}, with a check that has its own text.
     *
     * @param most null without a limit
     * @param check throws a {@link CairnException} outside the limits
     */
    public Parameter<T> within(Number least, @Nullable Number most, Consumer<? super T> check) {
        return with(new Schema(schema.type, schema.fallback, least, most, schema.values), (text, of) -> {
            T value = reader.apply(text, of);
            check.accept(value);
            return value;
        });
    }

    private Parameter<T> with(Schema other, BiFunction<String, String, T> otherReader) {
        return new Parameter<>(name, sentence, inHeader, required, other, absent, otherReader, fallback);
    }

    /**
     * The value, or the default.
     *
     * @throws ParameterException without value and default, and for a value of another type
     */
    public T of(HttpRequest request) {
        return require(orNull(request));
    }

    /** The value, or the default; null without both. */
    public @Nullable T orNull(HttpRequest request) {
        String text = sent(request);
        return text == null || absent.test(text) ? fallback : reader.apply(text, name);
    }

    /** The value, or this default, which is known with the request only. */
    public T or(HttpRequest request, T ifAbsent) {
        T value = orNull(request);
        return value == null ? ifAbsent : value;
    }

    /** @throws ParameterException without the parameter, or where it is blank; its value is not read */
    public void mustBeIn(HttpRequest request) {
        String text = sent(request);
        if (text == null || text.isBlank()) {
            throw missing();
        }
    }

    /** The text as it was sent; null when it is absent. */
    public @Nullable String sent(HttpRequest request) {
        return inHeader ? request.header(name) : request.parameter(name);
    }

    /**
     * A value of this parameter that was read before.
     *
     * @throws ParameterException without a value
     */
    public T require(@Nullable T value) {
        if (value == null) {
            throw missing();
        }
        return value;
    }

    /** Whether the request has the parameter, even with an empty text. */
    public boolean isIn(HttpRequest request) {
        return sent(request) != null;
    }

    /** The failure of a request without this parameter. */
    public ParameterException missing() {
        return ParameterException.missing(name);
    }

    public String name() {
        return name;
    }

    /** Whether it travels as a header. */
    public boolean inHeader() {
        return inHeader;
    }

    /** Whether the endpoint refuses requests without it. */
    public boolean isRequired() {
        return required;
    }

    /** The sentence of the reference. */
    String sentence() {
        return sentence;
    }

    Schema schema() {
        return schema;
    }

    @Override
    public String toString() {
        return name;
    }
}
