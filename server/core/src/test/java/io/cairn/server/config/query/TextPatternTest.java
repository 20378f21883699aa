package io.cairn.server.config.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TextPatternTest {

    /** Compares with a regular expression, which says the same in other words. */
    @Test
    void starsMatchAnythingAndOtherCharactersThemselves() {
        Random random = new Random(20260101);
        int matching = 0;
        for (int i = 0; i < 50_000; i++) {
            String pattern = text(random, "ab%_*|", 6);
            String text = text(random, "ab%_|", 6);
            if (pattern.isEmpty()) {
                continue;
            }
            boolean expected = Pattern.matches("(?s)" + Pattern.quote(pattern).replace("*", "\\E.*\\Q"), text);
            boolean actual =
                    TextPattern.wildcard(pattern).map(p -> p.matches(text)).orElse(true);
            assertThat(actual).as("'%s' like '%s'", text, pattern).isEqualTo(expected);
            matching += expected ? 1 : 0;
        }
        assertThat(matching).isGreaterThan(1_000);
    }

    private static String text(Random random, String letters, int maxLength) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(maxLength); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    @Test
    void anSqlPatternEscapesWhatIsSpecialThere() {
        assertThat(TextPattern.wildcard("a*b_c%d|e*").orElseThrow().toLike()).isEqualTo("a%b|_c|%d||e%");
        assertThat(TextPattern.exact("a*").orElseThrow().toLike()).isEqualTo("a*");
    }

    @Test
    void hasNoPatternForTextsThatMatchAnything() {
        for (String any : List.of("", " ", "*", "**")) {
            assertThat(TextPattern.wildcard(any)).isEmpty();
        }
        assertThat(TextPattern.wildcard(null)).isEmpty();
        assertThat(TextPattern.exact("*")).isPresent();
        assertThat(TextPattern.containing("*")).isEmpty();
    }

    @Test
    void containingFindsAPart() {
        TextPattern part = TextPattern.containing("b c").orElseThrow();
        assertThat(part.matches("ab cd")).isTrue();
        assertThat(TextPattern.containing("b*c").orElseThrow().matches("-b-\n-c-"))
                .isTrue();
    }
}
