package io.cairn.server.xds.stream;

/** Short, one-line text of a client for the log. */
public final class ClientText {

    private static final int MAX_LENGTH = 200;
    private static final int LINE_SEPARATOR = 0x2028;
    private static final int PARAGRAPH_SEPARATOR = 0x2029;

    private ClientText() {}

    public static String shown(String text) {
        StringBuilder line = new StringBuilder(Math.min(text.length(), MAX_LENGTH));
        text.codePoints().limit(MAX_LENGTH).forEach(c -> line.appendCodePoint(isPrinted(c) ? c : '?'));
        return line.length() < text.length() ? line.append("...").toString() : line.toString();
    }

    private static boolean isPrinted(int c) {
        return !Character.isISOControl(c) && c != LINE_SEPARATOR && c != PARAGRAPH_SEPARATOR;
    }
}
