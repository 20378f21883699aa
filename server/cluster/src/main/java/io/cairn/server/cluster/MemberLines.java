package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reads a node from each line, and ignores blank lines and comments after {@code #}. */
final class MemberLines {

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private MemberLines() {}

    /**
     * Each node once, in order.
     *
     * @param source name for the error
     * @throws CairnException {@code INVALID_PARAMETER} with source and number of the first invalid line
     */
    static List<MemberAddress> parse(String text, String source, int usualPort) {
        Set<MemberAddress> members = new LinkedHashSet<>();
        int number = 0;
        for (String line : lines(text)) {
            number++;
            if (!line.isEmpty()) {
                try {
                    members.add(MemberAddress.parse(line, usualPort));
                } catch (IllegalArgumentException e) {
                    throw new CairnException(
                            ErrorCode.INVALID_PARAMETER, source + ", line " + number + ": " + e.getMessage(), e);
                }
            }
        }
        return List.copyOf(members);
    }

    static boolean hasAny(String text) {
        return lines(text).stream().anyMatch(line -> !line.isEmpty());
    }

    private static List<String> lines(String text) {
        String marked = !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
        List<String> lines = new ArrayList<>();
        marked.lines().forEach(line -> {
            int comment = line.indexOf('#');
            lines.add((comment < 0 ? line : line.substring(0, comment)).trim());
        });
        return lines;
    }
}
