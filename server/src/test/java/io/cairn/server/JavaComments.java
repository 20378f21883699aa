package io.cairn.server;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The comments and the code of one Java source, told apart without a parser. */
final class JavaComments {

    private static final Pattern LINES = Pattern.compile("//[^\\n]*(\\n[ \\t]*//[^\\n]*)*");

    private final String source;
    private final List<Comment> comments = new ArrayList<>();
    private final StringBuilder code = new StringBuilder();

    private JavaComments(String source) {
        this.source = source;
    }

    /**
     * A comment with its marks.
     *
     * @param start the offset in the source
     */
    record Comment(int start, String text) {}

    static JavaComments of(String source) {
        JavaComments read = new JavaComments(source);
        read.read();
        return read;
    }

    /** The comments in their order; consecutive line comments are one. */
    List<Comment> comments() {
        return comments;
    }

    /** The source without comments, texts and characters. */
    String code() {
        return code.toString();
    }

    /** The number of the line, from 1. */
    int line(int offset) {
        return Math.toIntExact(
                source.substring(0, offset).chars().filter(unit -> unit == '\n').count() + 1);
    }

    private void read() {
        int at = 0;
        while (at < source.length()) {
            if (source.startsWith("//", at)) {
                at = add(at, endOfLines(at));
            } else if (source.startsWith("/*", at)) {
                at = add(at, endOf("*/", at + 2));
            } else if (source.startsWith("\"\"\"", at)) {
                at = endOf("\"\"\"", at + 3);
            } else if (source.charAt(at) == '"' || source.charAt(at) == '\'') {
                at = endOf(source.substring(at, at + 1), at + 1);
            } else {
                code.append(source.charAt(at));
                at++;
            }
        }
    }

    private int add(int start, int end) {
        comments.add(new Comment(start, source.substring(start, end)));
        return end;
    }

    private int endOfLines(int from) {
        return LINES.matcher(source)
                .region(from, source.length())
                .results()
                .findFirst()
                .orElseThrow()
                .end();
    }

    /** Behind the next mark without a backslash before it; the end of the source without such a mark. */
    private int endOf(String mark, int from) {
        boolean isComment = mark.equals("*/");
        for (int at = from; at < source.length(); at++) {
            if (source.charAt(at) == '\\' && !isComment) {
                at++;
            } else if (source.startsWith(mark, at)) {
                return at + mark.length();
            }
        }
        return source.length();
    }
}
