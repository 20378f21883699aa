package io.cairn.server.config.validation;

import java.util.Optional;

/** Properties as {@link java.util.Properties} reads them; only a Unicode escape can be wrong. */
final class PropertiesCheck {

    private static final int DIGITS = 4;

    private PropertiesCheck() {}

    static Optional<Problem> check(String text) {
        boolean lineStart = true;
        boolean comment = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r') {
                lineStart = true;
                comment = false;
            } else if (lineStart && (c == '#' || c == '!')) {
                comment = true;
                lineStart = false;
            } else if (!comment && !(lineStart && (c == ' ' || c == '\t' || c == '\f'))) {
                lineStart = false;
                if (c == '\\' && i + 1 < text.length()) {
                    if (text.charAt(i + 1) == 'u' && !isEscape(text, i + 2)) {
                        return Optional.of(Problem.at(text, i, "\\u needs four hexadecimal digits"));
                    }
                    // The escaped character may be a line end, which continues the line.
                    i++;
                    if (text.charAt(i) == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n') {
                        i++;
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isEscape(String text, int from) {
        if (from + DIGITS > text.length()) {
            return false;
        }
        for (int i = from; i < from + DIGITS; i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')) {
                return false;
            }
        }
        return true;
    }
}
