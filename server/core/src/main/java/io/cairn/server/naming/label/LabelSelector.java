package io.cairn.server.naming.label;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selects a consumer's instances: all, or those whose address has its labels.
 *
 * @param expression by the operator, or null
 * @param labels to be equal, in order; empty for all instances
 */
public record LabelSelector(@Nullable String expression, List<String> labels) {

    public static final LabelSelector NONE = new LabelSelector(null, List.of());

    private static final String CONSUMER = "CONSUMER.label.";
    private static final String PROVIDER = "PROVIDER.label.";
    private static final int MAX_LENGTH = 4096;

    public LabelSelector {
        labels = List.copyOf(labels);
    }

    /**
     * Reads {@code CONSUMER.label.A=PROVIDER.label.A & CONSUMER.label.B=PROVIDER.label.B}, or an empty text.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for another text
     */
    public static LabelSelector of(String expression) {
        if (expression.length() > MAX_LENGTH) {
            throw refused(
                    "an expression of " + expression.length() + " characters (expected: at most " + MAX_LENGTH + ")");
        }
        String dense = expression.replaceAll("\\s", "");
        TreeSet<String> labels = new TreeSet<>();
        if (!dense.isEmpty()) {
            for (String term : dense.split("&", -1)) {
                labels.add(label(term));
            }
        }
        return new LabelSelector(expression, List.copyOf(labels));
    }

    private static String label(String term) {
        int equals = term.indexOf('=');
        if (equals > 0 && term.startsWith(CONSUMER) && term.startsWith(PROVIDER, equals + 1)) {
            String label = term.substring(CONSUMER.length(), equals);
            if (!label.isEmpty() && label.equals(term.substring(equals + 1 + PROVIDER.length()))) {
                return label;
            }
        }
        throw refused("'" + term
                + "' (expected: CONSUMER.label.NAME=PROVIDER.label.NAME with one NAME, several joined by &)");
    }

    private static CairnException refused(String what) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, "parse expression failed! " + what);
    }

    /**
     * Reads operators' {@code {"type":"none"}} or {@code {"type":"label","expression":"…"}}.
     *
     * @return null for other types
     * @throws CairnException as {@link #of}
     */
    public static @Nullable LabelSelector read(String json) {
        Written written = Written.read(json);
        return switch (written.type()) {
            case "none" -> NONE;
            case "label" -> of(written.expression());
            default -> null;
        };
    }

    /** Reads {@link #stored}; an unreadable expression is shown and selects nothing. */
    public static LabelSelector ofStored(String json) {
        Written written = Written.read(json);
        if (!"label".equals(written.type())) {
            return NONE;
        }
        try {
            return of(written.expression());
        } catch (CairnException e) {
            return new LabelSelector(written.expression(), List.of());
        }
    }

    /** As JSON. */
    public String stored() {
        JsonOutput out = new JsonOutput(64);
        if (expression == null) {
            out.text("type", "none");
        } else {
            out.text("type", "label").text("expression", expression);
        }
        return new String(out.toBytes(), StandardCharsets.UTF_8);
    }

    /** Whether instances may differ by consumer. */
    public boolean selects() {
        return !labels.isEmpty();
    }

    private record Written(String type, String expression) {

        static Written read(String json) {
            try {
                return JsonInput.read(json, in -> {
                    String type = "";
                    String expression = "";
                    for (String name = in.nextField(); name != null; name = in.nextField()) {
                        switch (name) {
                            case "type" -> type = in.textOr("");
                            case "expression" -> expression = in.textOr("");
                            default -> in.skip();
                        }
                    }
                    return new Written(type, expression);
                });
            } catch (MalformedMessageException e) {
                return new Written("", "");
            }
        }
    }
}
