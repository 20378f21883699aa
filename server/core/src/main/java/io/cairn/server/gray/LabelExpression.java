package io.cairn.server.gray;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the labels of a client:
 *
 * <pre>
 * expression = term { "||" term }
 * term       = factor { "&amp;&amp;" factor }
 * factor     = "!" factor | "(" expression ")" | comparison
 * comparison = label ( "=" | "!=" ) value
 *            | label [ "not" ] "in" "(" value { "," value } ")"
 *            | label "exists"
 * label      = word | quoted
 * value      = word | quoted
 * </pre>
 *
 * A word has letters, digits and {@code _-.:/}. Quoted text stands in {@code '} or {@code "}; {@code \} quotes one character.
 *
 * <p>No comparison with an absent label is true: {@code zone != a} selects clients that have a zone, {@code !(zone = a)} also
 * those without. The label {@code zone} is that of an application ({@code app_zone} on the wire of Nacos's clients), or else one of
 * that very name. Immutable.
 */
public final class LabelExpression {

    public static final int MAX_LENGTH = 1_024;
    public static final int MAX_COMPARISONS = 64;
    public static final int MAX_DEPTH = 16;

    /** The prefix that official clients give to the labels of their application. */
    private static final String OF_APPLICATION = "app_";

    private final Condition condition;
    private final String text;

    private LabelExpression(Condition condition, String text) {
        this.condition = condition;
        this.text = text;
    }

    private sealed interface Condition {
        boolean matches(Map<String, String> labels);
    }

    private record Any(List<Condition> of) implements Condition {
        @Override
        public boolean matches(Map<String, String> labels) {
            for (Condition each : of) {
                if (each.matches(labels)) {
                    return true;
                }
            }
            return false;
        }
    }

    private record All(List<Condition> of) implements Condition {
        @Override
        public boolean matches(Map<String, String> labels) {
            for (Condition each : of) {
                if (!each.matches(labels)) {
                    return false;
                }
            }
            return true;
        }
    }

    private record Not(Condition of) implements Condition {
        @Override
        public boolean matches(Map<String, String> labels) {
            return !of.matches(labels);
        }
    }

    private record Comparison(String label, Set<String> values, boolean isOneOf) implements Condition {
        @Override
        public boolean matches(Map<String, String> labels) {
            String value = value(labels, label);
            return value != null && values.contains(value) == isOneOf;
        }
    }

    private record Exists(String label) implements Condition {
        @Override
        public boolean matches(Map<String, String> labels) {
            return value(labels, label) != null;
        }
    }

    /** A label of the application, else of the connection or node; null without it. */
    static @Nullable String value(Map<String, String> labels, String label) {
        String ofApplication = labels.get(OF_APPLICATION + label);
        return ofApplication != null ? ofApplication : labels.get(label);
    }

    /**
     * @param parameter its name in the error
     * @throws CairnException {@code INVALID_PARAMETER} with the column of the first error, from 1
     */
    public static LabelExpression parse(String parameter, String text) {
        if (text.length() > MAX_LENGTH) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    parameter + ": " + text.length() + " characters (expected: at most " + MAX_LENGTH + ")");
        }
        return new LabelExpression(new Parser(parameter, text).whole(), text);
    }

    public boolean matches(Map<String, String> labels) {
        return condition.matches(labels);
    }

    @Override
    public String toString() {
        return text;
    }

    private static final class Parser {

        private static final String END = "the end";

        private final String parameter;
        private final String text;
        private int at;
        private int comparisons;
        private int depth;

        Parser(String parameter, String text) {
            this.parameter = parameter;
            this.text = text;
        }

        Condition whole() {
            Condition all = expression();
            skipSpace();
            if (at < text.length()) {
                throw unexpected("&&, || or the end");
            }
            return all;
        }

        private Condition expression() {
            List<Condition> terms = new ArrayList<>();
            do {
                terms.add(term());
            } while (skip("||"));
            return terms.size() == 1 ? terms.get(0) : new Any(List.copyOf(terms));
        }

        private Condition term() {
            List<Condition> factors = new ArrayList<>();
            do {
                factors.add(factor());
            } while (skip("&&"));
            return factors.size() == 1 ? factors.get(0) : new All(List.copyOf(factors));
        }

        private Condition factor() {
            skipSpace();
            if (++depth > MAX_DEPTH) {
                throw error("nested more than " + MAX_DEPTH + " deep");
            }
            Condition factor;
            if (skip("!")) {
                factor = new Not(factor());
            } else if (skip("(")) {
                factor = expression();
                expect(")");
            } else {
                factor = comparison();
            }
            depth--;
            return factor;
        }

        private Condition comparison() {
            skipSpace();
            if (comparisons == MAX_COMPARISONS) {
                throw error("more than " + MAX_COMPARISONS + " comparisons");
            }
            comparisons++;
            String label = text("a label");
            if (skip("!=")) {
                return new Comparison(label, Set.of(text("a value")), false);
            }
            if (skip("==") || skip("=")) {
                return new Comparison(label, Set.of(text("a value")), true);
            }
            if (skipWord("exists")) {
                return new Exists(label);
            }
            boolean isOneOf = !skipWord("not");
            if (!skipWord("in")) {
                throw unexpected(isOneOf ? "=, !=, in, not in or exists" : "in");
            }
            return new Comparison(label, values(), isOneOf);
        }

        private Set<String> values() {
            expect("(");
            List<String> values = new ArrayList<>();
            do {
                values.add(text("a value"));
            } while (skip(","));
            expect(")");
            return Set.copyOf(values);
        }

        /** A word or quoted text. */
        private String text(String expected) {
            skipSpace();
            char quote = at < text.length() ? text.charAt(at) : ' ';
            if (quote == '\'' || quote == '"') {
                return quoted(quote);
            }
            String word = word();
            if (word.isEmpty()) {
                throw unexpected(expected);
            }
            at += word.length();
            return word;
        }

        private String quoted(char quote) {
            int start = at;
            StringBuilder quoted = new StringBuilder();
            for (at++; at < text.length(); at++) {
                char c = text.charAt(at);
                if (c == quote) {
                    at++;
                    return quoted.toString();
                }
                if (c == '\\' && at + 1 < text.length()) {
                    at++;
                    c = text.charAt(at);
                }
                quoted.append(c);
            }
            at = start;
            throw error("the quoted text does not end");
        }

        /** The word at this place, or nothing. */
        private String word() {
            int end = at;
            while (end < text.length() && isOfWord(text.charAt(end))) {
                end++;
            }
            return text.substring(at, end);
        }

        private static boolean isOfWord(char c) {
            return Character.isLetterOrDigit(c) || "_-.:/".indexOf(c) >= 0;
        }

        private boolean skipWord(String wanted) {
            skipSpace();
            if (!word().equals(wanted)) {
                return false;
            }
            at += wanted.length();
            return true;
        }

        private boolean skip(String wanted) {
            skipSpace();
            if (!text.startsWith(wanted, at)) {
                return false;
            }
            at += wanted.length();
            return true;
        }

        private void expect(String wanted) {
            if (!skip(wanted)) {
                throw unexpected(wanted);
            }
        }

        private void skipSpace() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
        }

        private CairnException unexpected(String expected) {
            skipSpace();
            String word = word();
            String found = END;
            if (!word.isEmpty()) {
                found = "'" + word + "'";
            } else if (at < text.length()) {
                found = "'" + text.charAt(at) + "'";
            }
            return error("found " + found + " (expected: " + expected + ")");
        }

        private CairnException error(String what) {
            return new CairnException(ErrorCode.INVALID_PARAMETER, parameter + ": column " + (at + 1) + ": " + what);
        }
    }
}
