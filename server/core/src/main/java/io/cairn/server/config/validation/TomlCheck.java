package io.cairn.server.config.validation;

import java.io.StringReader;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.dataformat.toml.TomlFactory;

/** A TOML document. Its parser builds a tree, so brackets and dotted names are counted first. */
final class TomlCheck {

    private static final TomlFactory TOML = TomlFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(ContentValidator.MAX_DEPTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private TomlCheck() {}

    static Optional<Problem> check(String text) {
        int tooDeep = tooDeep(text);
        if (tooDeep >= 0) {
            return Optional.of(Problem.at(text, tooDeep, "more than " + ContentValidator.MAX_DEPTH + " levels"));
        }
        // The parser's creation reads the whole text and finds its problems.
        try (JsonParser parser = TOML.createParser(ObjectReadContext.empty(), new StringReader(text))) {
            return Optional.empty();
        } catch (JacksonException e) {
            TokenStreamLocation at = e.getLocation();
            return at == null
                    ? Optional.of(new Problem(1, 1, e.getOriginalMessage()))
                    : JsonCheck.problem(at, e.getOriginalMessage());
        }
    }

    /** The offset of the first too deep bracket or dot, or -1. */
    private static int tooDeep(String text) {
        int brackets = 0;
        int dots = 0;
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '"', '\'' -> i = endOfString(text, i);
                case '#' -> i = endOfLine(text, i) - 1;
                case '[', '{' -> {
                    brackets++;
                    dots = 0;
                }
                case ']', '}' -> brackets = Math.max(0, brackets - 1);
                case '\n', ',', '=' -> dots = 0;
                case '.' -> dots++;
                default -> {}
            }
            if (brackets > ContentValidator.MAX_DEPTH || dots > ContentValidator.MAX_DEPTH) {
                return i;
            }
        }
        return -1;
    }

    /** The offset of the string's last character. */
    private static int endOfString(String text, int start) {
        String quote = text.substring(start, start + 1);
        boolean escapes = quote.equals("\"");
        String end = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
        for (int i = start + end.length(); i < text.length(); i++) {
            char c = text.charAt(i);
            if (escapes && c == '\\') {
                i++;
            } else if (end.length() == 1 && c == '\n') {
                return i;
            } else if (text.startsWith(end, i)) {
                return i + end.length() - 1;
            }
        }
        return text.length();
    }

    private static int endOfLine(String text, int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? text.length() : end;
    }
}
