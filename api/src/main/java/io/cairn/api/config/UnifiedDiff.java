package io.cairn.api.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The difference between two texts, as {@code diff -u} prints it.
 *
 * <p>It has the fewest possible changes (Myers, "An O(ND) Difference Algorithm and Its Variations"); with more than {@value #MAX_EDITS} of them, the whole differing part is replaced.
 *
 * @param text empty for equal texts; otherwise ends with a line feed
 * @param isCut whether it exceeded the limit; then it ends after a whole line
 */
public record UnifiedDiff(String text, boolean isCut) {

    private static final int CONTEXT = 3;
    private static final int MAX_EDITS = 1_500;
    private static final String NO_LINE_FEED = "\\ No newline at end of file\n";

    /**
     * @param beforeName the name after {@code ---}
     * @param afterName the name after {@code +++}
     * @param maxChars limit of the result, in characters
     */
    public static UnifiedDiff between(String beforeName, String before, String afterName, String after, int maxChars) {
        if (before.equals(after)) {
            return new UnifiedDiff("", false);
        }
        List<String> from = lines(before);
        List<String> to = lines(after);
        boolean[] removed = new boolean[from.size()];
        boolean[] added = new boolean[to.size()];
        mark(from, to, removed, added);
        Output out = new Output(maxChars);
        out.add("--- " + oneLine(beforeName) + '\n');
        out.add("+++ " + oneLine(afterName) + '\n');
        write(out, from, to, removed, added);
        return new UnifiedDiff(out.text.toString(), out.isFull);
    }

    private static String oneLine(String name) {
        return name.replace('\n', ' ').replace('\r', ' ');
    }

    /** Includes the line feeds, so that a last line without one differs. */
    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int start = 0;
        while (start < text.length()) {
            int end = text.indexOf('\n', start);
            int next = end < 0 ? text.length() : end + 1;
            lines.add(text.substring(start, next));
            start = next;
        }
        return lines;
    }

    private static void mark(List<String> from, List<String> to, boolean[] removed, boolean[] added) {
        int start = 0;
        int fromEnd = from.size();
        int toEnd = to.size();
        while (start < fromEnd && start < toEnd && from.get(start).equals(to.get(start))) {
            start++;
        }
        while (fromEnd > start && toEnd > start && from.get(fromEnd - 1).equals(to.get(toEnd - 1))) {
            fromEnd--;
            toEnd--;
        }
        List<int[]> trace = forward(from.subList(start, fromEnd), to.subList(start, toEnd));
        if (trace.isEmpty()) {
            Arrays.fill(removed, start, fromEnd, true);
            Arrays.fill(added, start, toEnd, true);
            return;
        }
        backward(trace, start, fromEnd - start, toEnd - start, removed, added);
    }

    /** The furthest point on each diagonal by number of edits; empty when the texts need too many. */
    private static List<int[]> forward(List<String> from, List<String> to) {
        int n = from.size();
        int m = to.size();
        int max = Math.min(n + m, MAX_EDITS);
        List<int[]> trace = new ArrayList<>();
        int[] reached = new int[2 * max + 3];
        int zero = max + 1;
        for (int edits = 0; edits <= max; edits++) {
            for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
                boolean down = diagonal == -edits
                        || diagonal != edits && reached[zero + diagonal - 1] < reached[zero + diagonal + 1];
                int x = down ? reached[zero + diagonal + 1] : reached[zero + diagonal - 1] + 1;
                int y = x - diagonal;
                while (x < n && y < m && from.get(x).equals(to.get(y))) {
                    x++;
                    y++;
                }
                reached[zero + diagonal] = x;
                if (x >= n && y >= m) {
                    trace.add(Arrays.copyOfRange(reached, zero - edits, zero + edits + 1));
                    return trace;
                }
            }
            trace.add(Arrays.copyOfRange(reached, zero - edits, zero + edits + 1));
        }
        return List.of();
    }

    private static void backward(List<int[]> trace, int offset, int n, int m, boolean[] removed, boolean[] added) {
        int x = n;
        int y = m;
        for (int edits = trace.size() - 1; edits > 0; edits--) {
            int[] before = trace.get(edits - 1);
            int diagonal = x - y;
            // The array for d edits has 2d + 1 points; diagonal k is at index k + d.
            int left = diagonal - 1 + edits - 1;
            int right = diagonal + 1 + edits - 1;
            boolean down = diagonal == -edits || diagonal != edits && before[left] < before[right];
            int beforeX = down ? before[right] : before[left];
            int beforeY = beforeX - (down ? diagonal + 1 : diagonal - 1);
            if (down) {
                added[offset + beforeY] = true;
            } else {
                removed[offset + beforeX] = true;
            }
            x = beforeX;
            y = beforeY;
        }
    }

    private static void write(Output out, List<String> from, List<String> to, boolean[] removed, boolean[] added) {
        int x = 0;
        int y = 0;
        while (!out.isFull) {
            while (x < from.size() && !removed[x] && !(y < to.size() && added[y])) {
                x++;
                y++;
            }
            if (x >= from.size() && !(y < to.size() && added[y])) {
                return;
            }
            int before = Math.min(CONTEXT, x);
            int startX = x - before;
            int startY = y - before;
            List<String> hunk = new ArrayList<>();
            for (int i = startX; i < x; i++) {
                line(hunk, ' ', from.get(i));
            }
            int quiet = 0;
            int wantedQuiet = 2 * CONTEXT;
            while (quiet <= wantedQuiet) {
                if (x < from.size() && removed[x]) {
                    line(hunk, '-', from.get(x++));
                    quiet = 0;
                } else if (y < to.size() && added[y]) {
                    line(hunk, '+', to.get(y++));
                    quiet = 0;
                } else if (x < from.size()) {
                    line(hunk, ' ', from.get(x++));
                    y++;
                    quiet++;
                } else {
                    break;
                }
            }
            int surplus = Math.max(0, quiet - CONTEXT);
            for (int i = 0; i < surplus; i++) {
                String last = hunk.remove(hunk.size() - 1);
                if (last.equals(NO_LINE_FEED)) {
                    hunk.remove(hunk.size() - 1);
                }
            }
            x -= surplus;
            y -= surplus;
            out.add("@@ -" + range(startX, x) + " +" + range(startY, y) + " @@\n");
            hunk.forEach(out::add);
        }
    }

    private static void line(List<String> hunk, char mark, String line) {
        if (line.endsWith("\n")) {
            hunk.add(mark + line);
        } else {
            hunk.add(mark + line + '\n');
            hunk.add(NO_LINE_FEED);
        }
    }

    private static String range(int start, int end) {
        int count = end - start;
        // An empty range contains the number of the line before it.
        return (count == 0 ? start : start + 1) + (count == 1 ? "" : "," + count);
    }

    private static final class Output {

        private final StringBuilder text = new StringBuilder();
        private final int maxChars;
        private boolean isFull;

        Output(int maxChars) {
            this.maxChars = maxChars;
        }

        void add(String line) {
            isFull |= text.length() + line.length() > maxChars;
            if (!isFull) {
                text.append(line);
            }
        }
    }
}
