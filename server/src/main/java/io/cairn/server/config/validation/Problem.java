package io.cairn.server.config.validation;

/**
 * The first thing that is wrong with a content.
 *
 * @param line from 1
 * @param column from 1, in characters
 * @param message for people; may quote a few words of the content, so it is for the publisher and not for the log
 */
public record Problem(int line, int column, String message) {

    private static final int MAX_MESSAGE = 200;

    public Problem {
        line = Math.max(1, line);
        column = Math.max(1, column);
        message = message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) + "…" : message;
    }

    /** The problem at that offset of the text. */
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
