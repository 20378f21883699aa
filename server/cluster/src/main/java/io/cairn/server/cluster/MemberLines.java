package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reads text with a node on each line. Blank lines and what follows a {@code #} are passed over. */
final class MemberLines {

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private MemberLines() {}

    /**
     * Each node once, in the order of the lines.
     *
     * @param source names the text in the error
     * @throws CairnException {@code INVALID_PARAMETER} naming source and number of the first line that is no address
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

    /** Whether there is a line that names something. */
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
