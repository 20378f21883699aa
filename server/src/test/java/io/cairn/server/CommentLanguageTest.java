package io.cairn.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Refuses the words that docs/internals/style.md bans from comments: a clause in place of a noun at the beginning, and a person in
 * place of a client or server. Reads the Java sources of all modules.
 */
class CommentLanguageTest {

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
        JavaSources.all().forEach((name, source) -> {
            List<String> words = words(source);
            if (!words.isEmpty()) {
                offences.put(name, words.stream().map(word -> name + ':' + word).toList());
            }
        });
        return offences;
    }

    /** The banned words of a source, each with its line. */
    private static List<String> words(String source) {
        List<String> words = new ArrayList<>();
        JavaComments read = JavaComments.of(source);
        for (JavaComments.Comment comment : read.comments()) {
            String text = CODE.matcher(comment.text())
                    .replaceAll(found -> "x".repeat(found.group().length()));
            CLAUSE.matcher(text).results().forEach(found -> words.add(word(read, comment, found)));
            PERSON.matcher(text).results().forEach(found -> words.add(word(read, comment, found)));
        }
        return words;
    }

    private static String word(JavaComments read, JavaComments.Comment comment, MatchResult found) {
        return read.line(comment.start() + found.start(1)) + ": " + found.group(1);
    }
}
