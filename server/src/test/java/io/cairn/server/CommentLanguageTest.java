package io.cairn.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Refuses the words that docs/internals/style.md bans from comments: a clause in place of a noun at the beginning, and a person in
 * place of a client or server. Reads the Java sources of all modules.
 */
class CommentLanguageTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> SKIPPED = Set.of("target", "node_modules", ".git");

    private static final Pattern CLAUSE = Pattern.compile("^\\W*(Who|Whoever|Whom|What|Whatever)\\b");
    private static final Pattern PERSON = Pattern.compile("\\b(he|him|his|she|her)\\b", Pattern.CASE_INSENSITIVE);
    /** Names of code, which are no words. */
    private static final Pattern CODE = Pattern.compile("\\{@(code|link|linkplain|value)\\s[^}]*}|`[^`]*`");

    @Test
    void commentsAreFreeOfTheBannedWords() throws IOException {
        assertThat(offences().values().stream().flatMap(List::stream))
                .as("comments that begin with Who, Whoever, Whom, What or Whatever, or say he, him, his, she or her"
                        + " (expected: a noun as the subject, and \"it\" for a client or server)")
                .isEmpty();
    }

    @Test
    void findsWordsInCommentsAlone() {
        String source = """
                package a;

                /** What is due. */
                class A {
                    // Whoever asks
                    // What follows is no first word.
                    String text = "// Who asks him"; // and her
                    char quote = '"'; // Whom
                    String block = \"""
                            /* he */ \\\""" // she
                            \""";
                    int shells = 1 / 2; /* the shell, {@code his} and `him`
                     * What is no first word either
                     */
                    /* *
                     * Who */
                    int whose; // whose, whatever, theirs
                }
                """;

        assertThat(words(source)).containsExactly("3: What", "5: Whoever", "7: her", "8: Whom", "16: Who");
    }

    private static Map<String, List<String>> offences() throws IOException {
        Map<String, List<String>> offences = new TreeMap<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return SKIPPED.contains(String.valueOf(folder.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = ROOT.relativize(file).toString().replace('\\', '/');
                if (name.endsWith(".java")) {
                    List<String> words = words(read(file));
                    if (!words.isEmpty()) {
                        offences.put(
                                name,
                                words.stream().map(word -> name + ':' + word).toList());
                    }
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return offences;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The banned words of a source, each with its line. */
    private static List<String> words(String source) {
        List<String> words = new ArrayList<>();
        for (Comment comment : comments(source)) {
            String text = CODE.matcher(comment.text)
                    .replaceAll(found -> "x".repeat(found.group().length()));
            CLAUSE.matcher(text).results().forEach(found -> words.add(word(comment, source, found)));
            PERSON.matcher(text).results().forEach(found -> words.add(word(comment, source, found)));
        }
        return words;
    }

    private static String word(Comment comment, String source, MatchResult found) {
        long line = source.substring(0, comment.start + found.start(1))
                        .chars()
                        .filter(unit -> unit == '\n')
                        .count()
                + 1;
        return line + ": " + found.group(1);
    }

    /** @param start of the text, in the source */
    private record Comment(int start, String text) {}

    /** The comments of a source; line comments in a row are one. */
    private static List<Comment> comments(String source) {
        List<Comment> comments = new ArrayList<>();
        int at = 0;
        while (at < source.length()) {
            if (source.startsWith("//", at)) {
                int end = endOfLines(source, at);
                comments.add(new Comment(at, source.substring(at, end)));
                at = end;
            } else if (source.startsWith("/*", at)) {
                int end = endOf(source, "*/", at + 2);
                comments.add(new Comment(at, source.substring(at, end)));
                at = end;
            } else if (source.startsWith("\"\"\"", at)) {
                at = endOf(source, "\"\"\"", at + 3);
            } else if (source.charAt(at) == '"' || source.charAt(at) == '\'') {
                at = endOf(source, source.substring(at, at + 1), at + 1);
            } else {
                at++;
            }
        }
        return comments;
    }

    private static final Pattern LINES = Pattern.compile("//[^\\n]*(\\n[ \\t]*//[^\\n]*)*");

    private static int endOfLines(String source, int from) {
        return LINES.matcher(source)
                .region(from, source.length())
                .results()
                .findFirst()
                .orElseThrow()
                .end();
    }

    /** Behind the next mark that no backslash escapes; the end of the source where there is none. */
    private static int endOf(String source, String mark, int from) {
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
