package io.cairn.server.envoy;

import java.util.ArrayDeque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the program size of a regular expression without compiling it: nested repetitions such as {@code
 * ((a{1000}){1000}){1000}} take all memory. For one thread.
 */
final class RegexSize {

    private static final long MAX_SIZE = 20_000;
    private static final int MAX_DEPTH = 200;
    private static final int MAX_LENGTH = 10_000;
    private static final Pattern REPETITION = Pattern.compile("\\{(\\d{1,4})(?:,(\\d{0,4}))?}");

    private final String regex;
    private final ArrayDeque<Long> outer = new ArrayDeque<>();
    /** The size of the group without its last part. */
    private long sum;
    /** The size of the last part, which a repetition behind it multiplies. */
    private long last;

    private int at;

    private RegexSize(String regex) {
        this.regex = regex;
    }

    static boolean isSmall(String regex) {
        return regex.length() <= MAX_LENGTH && new RegexSize(regex).isSmall();
    }

    private boolean isSmall() {
        Matcher repetition = REPETITION.matcher(regex);
        while (at < regex.length()) {
            switch (regex.charAt(at)) {
                case '\\' -> escape();
                case '[' -> characters();
                case '(' -> {
                    part(0);
                    outer.push(sum);
                    sum = 0;
                    at++;
                }
                case ')' -> {
                    long group = sum + last + 2;
                    sum = outer.isEmpty() ? sum : outer.pop();
                    last = group;
                    at++;
                }
                case '{' -> {
                    if (repetition.region(at, regex.length()).lookingAt()) {
                        last *= Math.max(number(repetition.group(1)), number(repetition.group(2)));
                        at = repetition.end();
                    } else {
                        part(1);
                        at++;
                    }
                }
                default -> {
                    part(1);
                    at++;
                }
            }
            if (sum + last > MAX_SIZE || outer.size() > MAX_DEPTH) {
                return false;
            }
        }
        return true;
    }

    private static long number(@Nullable String digits) {
        return digits == null || digits.isEmpty() ? 1 : Math.max(1, Long.parseLong(digits));
    }

    private void part(long size) {
        sum += last;
        last = size;
    }

    /** Reads an escape with its braces, such as {@code \p{Greek}}, which are no repetition. */
    private void escape() {
        part(1);
        boolean hasName =
                at + 2 < regex.length() && "pPx".indexOf(regex.charAt(at + 1)) >= 0 && regex.charAt(at + 2) == '{';
        int end = hasName ? regex.indexOf('}', at) : -1;
        at = end < 0 ? at + 2 : end + 1;
    }

    /** A class of characters, in which nothing repeats. */
    private void characters() {
        part(1);
        at += regex.startsWith("[^", at) ? 2 : 1;
        boolean isFirst = true;
        while (at < regex.length() && (isFirst || regex.charAt(at) != ']')) {
            isFirst = false;
            int named = regex.startsWith("[:", at) ? regex.indexOf(":]", at) : -1;
            at = named >= 0 ? named + 2 : at + (regex.charAt(at) == '\\' ? 2 : 1);
        }
        at++;
    }
}
