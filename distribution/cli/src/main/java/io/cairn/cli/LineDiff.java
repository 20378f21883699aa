package io.cairn.cli;

import java.util.ArrayList;
import java.util.List;

/** The difference of two texts, line by line, as {@code diff -u} shows it, in one hunk without context. */
final class LineDiff {

    /** Above so many pairs of lines the whole middle counts as changed. */
    private static final long MAX_CELLS = 4_000_000;

    private LineDiff() {}

    /** Empty when the texts are the same. */
    static String of(String oldName, String before, String newName, String after) {
        if (before.equals(after)) {
            return "";
        }
        List<String> a = before.lines().toList();
        List<String> b = after.lines().toList();
        int start = 0;
        while (start < a.size() && start < b.size() && a.get(start).equals(b.get(start))) {
            start++;
        }
        int end = 0;
        while (end < Math.min(a.size(), b.size()) - start
                && a.get(a.size() - 1 - end).equals(b.get(b.size() - 1 - end))) {
            end++;
        }
        List<String> left = a.subList(start, a.size() - end);
        List<String> right = b.subList(start, b.size() - end);
        List<String> out = new ArrayList<>();
        out.add("--- " + oldName);
        out.add("+++ " + newName);
        out.add("@@ -" + (start + 1) + ',' + left.size() + " +" + (start + 1) + ',' + right.size() + " @@");
        if (left.isEmpty() && right.isEmpty()) {
            out.add("\\ They differ in line ends only");
        } else if ((long) left.size() * right.size() > MAX_CELLS) {
            left.forEach(line -> out.add('-' + line));
            right.forEach(line -> out.add('+' + line));
        } else {
            compare(left, right, out);
        }
        return String.join("\n", out) + '\n';
    }

    private static void compare(List<String> left, List<String> right, List<String> out) {
        int[][] common = new int[left.size() + 1][right.size() + 1];
        for (int i = left.size() - 1; i >= 0; i--) {
            for (int j = right.size() - 1; j >= 0; j--) {
                common[i][j] = left.get(i).equals(right.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        int i = 0;
        int j = 0;
        while (i < left.size() || j < right.size()) {
            if (i < left.size() && j < right.size() && left.get(i).equals(right.get(j))) {
                out.add(' ' + left.get(i));
                i++;
                j++;
            } else if (j == right.size() || i < left.size() && common[i + 1][j] >= common[i][j + 1]) {
                out.add('-' + left.get(i++));
            } else {
                out.add('+' + right.get(j++));
            }
        }
    }
}
