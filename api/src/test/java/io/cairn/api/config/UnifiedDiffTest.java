package io.cairn.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnifiedDiffTest {

    private static final Pattern HUNK = Pattern.compile("@@ -(\\d+)(?:,(\\d+))? \\+(\\d+)(?:,(\\d+))? @@\n");

    private static String diff(String before, String after) {
        UnifiedDiff diff = UnifiedDiff.between("old", before, "new", after, Integer.MAX_VALUE);
        assertThat(diff.isCut()).isFalse();
        return diff.text();
    }

    private static String numbers(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    @Test
    void equalTextsHaveAnEmptyDiff() {
        assertThat(diff("a\nb\n", "a\nb\n")).isEmpty();
        assertThat(diff("", "")).isEmpty();
    }

    @Test
    void showsAChangedLineWithThreeLinesOfContext() {
        assertThat(diff(numbers(1, 9), numbers(1, 9).replace("5", "five"))).isEqualTo("""
                --- old
                +++ new
                @@ -2,7 +2,7 @@
                 2
                 3
                 4
                -5
                +five
                 6
                 7
                 8
                """);
    }

    @Test
    void separatesDistantChangesAndJoinsNearOnes() {
        String before = numbers(1, 40);
        String after = before.replace("\n5\n", "\nfive\n")
                .replace("\n11\n", "\neleven\n")
                .replace("\n30\n", "\n");

        assertThat(diff(before, after).lines().filter(line -> line.startsWith("@@")))
                .containsExactly("@@ -2,13 +2,13 @@", "@@ -27,7 +27,6 @@");
    }

    @ParameterizedTest
    @CsvSource({
        "'', 'a\n', '@@ -0,0 +1 @@\n+a\n'",
        "'a\n', '', '@@ -1 +0,0 @@\n-a\n'",
        "'a', 'a\n', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'",
        "'a\nb', 'a\nc', '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n'",
        "'a\r\n', 'a\n', '@@ -1 +1 @@\n-a\r\n+a\n'",
    })
    void showsChangesAtBothEndsOfATextAndMissingLineFeeds(String before, String after, String hunks) {
        assertThat(diff(before, after)).isEqualTo("--- old\n+++ new\n" + hunks);
    }

    @Test
    void cutsALongDiffAfterAWholeLine() {
        UnifiedDiff diff = UnifiedDiff.between("old", "", "new", numbers(1, 1_000), 60);

        assertThat(diff.isCut()).isTrue();
        assertThat(diff.text())
                .hasSizeLessThanOrEqualTo(60)
                .startsWith("--- old\n+++ new\n@@")
                .endsWith("\n");
    }

    @Test
    void replacesLineBreaksInNames() {
        assertThat(UnifiedDiff.between("a\n+++ b", "x", "c\r\nd", "y", 1_000).text())
                .startsWith("--- a +++ b\n+++ c  d\n@@");
    }

    @Test
    void replacesTextsWithNothingInCommonWithoutSearching() {
        String before =
                IntStream.range(0, 200_000).mapToObj(i -> "a" + i + "\n").collect(Collectors.joining());
        String after = before.replace('a', 'b');

        String diff = diff("same\n" + before + "end\n", "same\n" + after + "end\n");

        assertThat(diff).startsWith("--- old\n+++ new\n@@ -1,200002 +1,200002 @@\n same\n-a0\n");
        assertThat(patched("same\n" + before + "end\n", diff)).isEqualTo("same\n" + after + "end\n");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void patchingTheFirstTextGivesTheSecond(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            String before = text(random);
            String after = random.nextInt(3) == 0 ? text(random) : edited(before, random);
            String diff = diff(before, after);
            assertThat(patched(before, diff)).as(diff).isEqualTo(after);
        }
    }

    @Test
    void changesTheFewestLinesPossible() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            String before = text(random);
            String after = edited(before, random);
            long marked = diff(before, after)
                    .lines()
                    .skip(2)
                    .filter(line -> line.startsWith("-") || line.startsWith("+"))
                    .count();
            assertThat(marked).isEqualTo(fewest(split(before), split(after)));
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int lines = random.nextInt(25);
        for (int i = 0; i < lines; i++) {
            text.append("abcde".charAt(random.nextInt(5))).append(random.nextInt(9) == 0 ? "\r\n" : "\n");
        }
        return random.nextBoolean() ? text.toString() : text + "end";
    }

    private static String edited(String text, Random random) {
        List<String> lines = split(text);
        for (int edits = random.nextInt(5); edits > 0; edits--) {
            int at = random.nextInt(lines.size() + 1);
            if (random.nextBoolean() && at < lines.size()) {
                lines.remove(at);
            } else if (at < lines.size()) {
                lines.add(at, "x" + random.nextInt(3) + "\n");
            }
        }
        return String.join("", lines);
    }

    private static List<String> split(String text) {
        return new ArrayList<>(text.isEmpty() ? List.of() : List.of(text.split("(?<=\n)")));
    }

    private static long fewest(List<String> from, List<String> to) {
        int[][] common = new int[from.size() + 1][to.size() + 1];
        for (int i = from.size() - 1; i >= 0; i--) {
            for (int j = to.size() - 1; j >= 0; j--) {
                common[i][j] = from.get(i).equals(to.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        return from.size() + to.size() - 2L * common[0][0];
    }

    /** The result of a strict {@code patch}: every line of the diff must be at the place that the diff gives. */
    private static String patched(String before, String diff) {
        if (diff.isEmpty()) {
            return before;
        }
        List<String> from = split(before);
        List<String> lines = split(diff);
        StringBuilder after = new StringBuilder();
        int afterLines = 0;
        int at = 0;
        int i = 2;
        while (i < lines.size()) {
            Matcher hunk = HUNK.matcher(lines.get(i));
            assertThat(hunk.matches()).as(lines.get(i)).isTrue();
            i++;
            int left = count(hunk.group(2));
            int right = count(hunk.group(4));
            int start = Integer.parseInt(hunk.group(1)) - (left == 0 ? 0 : 1);
            while (at < start) {
                after.append(from.get(at++));
                afterLines++;
            }
            assertThat(Integer.parseInt(hunk.group(3)) - (right == 0 ? 0 : 1)).isEqualTo(afterLines);
            while (i < lines.size() && !lines.get(i).startsWith("@@")) {
                String line = lines.get(i++);
                String text = line.substring(1);
                if (i < lines.size() && lines.get(i).startsWith("\\")) {
                    text = text.substring(0, text.length() - 1);
                    i++;
                }
                if (line.charAt(0) != '+') {
                    assertThat(from.get(at++)).isEqualTo(text);
                    left--;
                }
                if (line.charAt(0) != '-') {
                    after.append(text);
                    afterLines++;
                    right--;
                }
            }
            assertThat(left).isZero();
            assertThat(right).isZero();
        }
        while (at < from.size()) {
            after.append(from.get(at++));
        }
        return after.toString();
    }

    private static int count(String group) {
        return group == null ? 1 : Integer.parseInt(group);
    }
}
