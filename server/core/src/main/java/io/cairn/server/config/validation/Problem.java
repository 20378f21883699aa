package io.cairn.server.config.validation;

/**
 * The first problem of a content.
 *
 * @param line from 1; 0 if unknown
 * @param column from 1, in characters; 0 if unknown
 * @param message may quote the content, so it is for the publisher and not for the log
 */
public record Problem(int line, int column, String message) {

    static final int MAX_MESSAGE = 400;

    public Problem {
        line = Math.max(0, line);
        column = line == 0 ? 0 : Math.max(1, column);
        message = message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) + "…" : message;
    }

    /** A problem without a known place. */
    static Problem nowhere(String message) {
        return new Problem(0, 0, message);
    }

    /** {@code line 3, column 7}, or empty. */
    public String place() {
        return line == 0 ? "" : "line " + line + ", column " + column;
    }

    static Problem at(CharSequence text, int offset, String message) {
        int line = 1;
        int lineStart = 0;
        int end = Math.min(offset, text.length());
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n')) {
                line++;
                lineStart = i + 1;
            }
        }
        return new Problem(line, end - lineStart + 1, message);
    }
}
