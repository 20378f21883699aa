package io.cairn.server;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts habits of sentences in the comments of main code, for each module. */
final class CommentRates {

    private static final Pattern MAIN = Pattern.compile("^(.+)/src/main/java/");
    private static final Pattern EXCLUDED = Pattern.compile("package-info|module-info|generated|jmh|benchmark");
    private static final Pattern MARKS = Pattern.compile("^/\\*+|\\*/$|^//");
    private static final Pattern LINE_MARKS = Pattern.compile("(?m)^\\s*\\*+ ?");
    private static final int EXAMPLES = 8;
    private static final int EXCERPT = 40;

    private final Map<Marker, List<String>> found = new EnumMap<>(Marker.class);
    private int words;
    private int codeLines;

    /** A habit, counted per 10,000 words of comments. */
    enum Marker {
        CLAUSE("a clause as noun", "what (is|was|has|had|it|a|the|they|comes|waits|cannot)"),
        NONE("\"none\"", "none"),
        ONE_THAT("\"one\" or \"those\" in place of a noun", "(those|one) (that|of)"),
        TELL("tell and say", "(tells?|told|says?|said)"),
        WHO("who and nobody", "(who|whoever|nobody|somebody|anybody|everybody)");

        private final String title;
        private final Pattern pattern;

        Marker(String title, String words) {
            this.title = title;
            this.pattern = Pattern.compile("\\b" + words + "\\b", Pattern.CASE_INSENSITIVE);
        }
    }

    /**
     * The limits of one module.
     *
     * @param perTenThousandWords by the order of {@link Marker}
     * @param wordsPerHundredLines comment words per 100 lines of code
     */
    record Ceilings(List<Integer> perTenThousandWords, int wordsPerHundredLines) {

        Ceilings {
            perTenThousandWords = List.copyOf(perTenThousandWords);
        }

        static Ceilings of(int clause, int none, int oneThat, int tell, int who, int wordsPerHundredLines) {
            return new Ceilings(List.of(clause, none, oneThat, tell, who), wordsPerHundredLines);
        }

        int of(Marker marker) {
            return perTenThousandWords.get(marker.ordinal());
        }
    }

    /**
     * Counts the markers.
     *
     * @param sources the texts of Java files by their paths
     * @return by module, which is the path above {@code src/main/java}
     */
    static Map<String, CommentRates> byModule(Map<String, String> sources) {
        Map<String, CommentRates> modules = new TreeMap<>();
        sources.forEach((path, source) -> {
            Matcher main = MAIN.matcher(path);
            if (main.find() && !EXCLUDED.matcher(path).find()) {
                modules.computeIfAbsent(main.group(1), name -> new CommentRates())
                        .add(path, source);
            }
        });
        return modules;
    }

    int words() {
        return words;
    }

    int codeLines() {
        return codeLines;
    }

    /** Occurrences per 10,000 words of comments. */
    double rate(Marker marker) {
        return 10_000.0 * examples(marker).size() / Math.max(words, 1);
    }

    /** Comment words per 100 lines of code. */
    double density() {
        return 100.0 * words / Math.max(codeLines, 1);
    }

    /** The exceeded ceilings, a text with examples for each. A single occurrence in a module is always allowed. */
    List<String> excesses(String module, Ceilings ceilings) {
        List<String> excesses = new ArrayList<>();
        for (Marker marker : Marker.values()) {
            List<String> examples = examples(marker);
            int ceiling = ceilings.of(marker);
            if (rate(marker) > ceiling && examples.size() > 1) {
                excesses.add(text(module, marker.title + " per 10,000 words", rate(marker), ceiling) + "\n    "
                        + String.join("\n    ", examples.subList(0, Math.min(EXAMPLES, examples.size()))));
            }
        }
        if (density() > ceilings.wordsPerHundredLines()) {
            excesses.add(
                    text(module, "comment words per 100 lines of code", density(), ceilings.wordsPerHundredLines()));
        }
        return excesses;
    }

    private static String text(String module, String what, double rate, int ceiling) {
        return String.format(Locale.ROOT, "%s: %s: %.1f (expected: at most %d)", module, what, rate, ceiling);
    }

    private List<String> examples(Marker marker) {
        return found.getOrDefault(marker, List.of());
    }

    private void add(String path, String source) {
        JavaComments read = JavaComments.of(source);
        for (JavaComments.Comment comment : read.comments()) {
            if (comment.text().startsWith("//")) {
                int start = comment.start();
                for (String line : comment.text().split("\n")) {
                    count(path + ':' + read.line(start), line.strip());
                    start += line.length() + 1;
                }
            } else {
                count(path + ':' + read.line(comment.start()), comment.text());
            }
        }
        codeLines += Math.toIntExact(read.code()
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("import ") && !line.startsWith("package "))
                .count());
    }

    private void count(String place, String comment) {
        String text = LINE_MARKS
                .matcher(MARKS.matcher(comment).replaceAll("").strip())
                .replaceAll("")
                .replaceAll("\\s+", " ");
        if (text.isBlank()) {
            return;
        }
        words += text.strip().split(" ").length;
        for (Marker marker : Marker.values()) {
            marker.pattern.matcher(text).results().forEach(match -> found.computeIfAbsent(
                            marker, same -> new ArrayList<>())
                    .add(place + ": " + excerpt(text, match)));
        }
    }

    private static String excerpt(String text, MatchResult match) {
        int start = Math.max(0, match.start() - EXCERPT);
        int end = Math.min(text.length(), match.end() + EXCERPT);
        return (start > 0 ? "…" : "") + text.substring(start, end).strip() + (end < text.length() ? "…" : "");
    }
}
