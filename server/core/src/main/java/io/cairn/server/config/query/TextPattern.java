package io.cairn.server.config.query;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A text with {@code *} for any characters. Case-sensitive. */
public final class TextPattern {

    private static final char ANY = '*';
    private static final char ESCAPE = '|';

    /** The texts between the wildcards, at least one. */
    private final List<String> parts;

    private TextPattern(List<String> parts) {
        this.parts = parts;
    }

    /** Empty for null and blank, which match any text. */
    public static Optional<TextPattern> exact(@Nullable String text) {
        return text == null || text.isBlank() ? Optional.empty() : Optional.of(new TextPattern(List.of(text.trim())));
    }

    /** {@code *} is a wildcard; empty if it matches any text. */
    public static Optional<TextPattern> wildcard(@Nullable String text) {
        if (text == null || text.isBlank() || text.trim().chars().allMatch(c -> c == ANY)) {
            return Optional.empty();
        }
        return Optional.of(new TextPattern(List.of(text.trim().split("\\*", -1))));
    }

    /** {@code *} is a wildcard. */
    public static Optional<TextPattern> containing(@Nullable String text) {
        return text == null || text.isEmpty() ? Optional.empty() : containingPart(text);
    }

    private static Optional<TextPattern> containingPart(String text) {
        return text.chars().allMatch(c -> c == ANY)
                ? Optional.empty()
                : Optional.of(new TextPattern(List.of((ANY + text + ANY).split("\\*", -1))));
    }

    /** The text without a wildcard, if any. */
    public Optional<String> onlyMatch() {
        return parts.size() == 1 ? Optional.of(parts.get(0)) : Optional.empty();
    }

    public boolean matches(String text) {
        String first = parts.get(0);
        if (parts.size() == 1) {
            return text.equals(first);
        }
        String last = parts.get(parts.size() - 1);
        int end = text.length() - last.length();
        if (end < first.length() || !text.startsWith(first) || !text.endsWith(last)) {
            return false;
        }
        int at = first.length();
        for (String part : parts.subList(1, parts.size() - 1)) {
            int found = text.indexOf(part, at);
            if (found < 0 || found + part.length() > end) {
                return false;
            }
            at = found + part.length();
        }
        return true;
    }

    /** As an SQL pattern with the escape character {@code |}. */
    public String toLike() {
        StringBuilder like = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            if (i > 0) {
                like.append('%');
            }
            for (char c : parts.get(i).toCharArray()) {
                if (c == '%' || c == '_' || c == ESCAPE) {
                    like.append(ESCAPE);
                }
                like.append(c);
            }
        }
        return like.toString();
    }

    @Override
    public String toString() {
        return String.join("*", parts);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TextPattern pattern && parts.equals(pattern.parts);
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }
}
