package io.cairn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cairn.server.CommentRates.Ceilings;
import io.cairn.server.CommentRates.Marker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Keeps the comments of main code readable: habits of sentences that make a reader stumble may occur at most at the rates of the
 * table. Reads the Java sources of all modules.
 */
class CommentRatesTest {

    /** For modules with rewritten comments, and for new modules. */
    private static final Ceilings BARS = bars(120);

    /**
     * By module: a clause as noun, "none", "one that", "tell", "who" per 10,000 words of comments, and comment words per 100 lines
     * of code. A ceiling is never raised: a change of comments lowers it, to the bars if the module is rewritten.
     */
    private static final Map<String, Ceilings> CEILINGS = Map.ofEntries(
            Map.entry("api", bars(110)),
            Map.entry("client", bars(110)),
            Map.entry("client/junit", bars(110)),
            Map.entry("client/spring-boot", bars(110)),
            Map.entry("server/transport", bars(110)),
            Map.entry("api/testing", Ceilings.of(5, 3, 5, 5, 8, 330)),
            Map.entry("distribution/cli", Ceilings.of(5, 3, 5, 5, 8, 41)),
            Map.entry("server", bars(76)),
            Map.entry("server/base", Ceilings.of(5, 3, 5, 5, 8, 181)),
            Map.entry("server/cluster", bars(114)),
            Map.entry("server/compatibility/scenarios", Ceilings.of(5, 3, 5, 5, 8, 57)),
            Map.entry("server/core", bars(145)),
            Map.entry("server/edges", bars(89)),
            Map.entry("server/envoy", Ceilings.of(5, 3, 5, 5, 8, 51)),
            Map.entry("server/nodes", Ceilings.of(5, 3, 5, 5, 8, 95)),
            Map.entry("server/process", Ceilings.of(5, 3, 5, 5, 8, 137)),
            Map.entry("server/storage", Ceilings.of(5, 3, 6, 5, 8, 94)));

    @Test
    void noModuleExceedsItsCeilings() throws IOException {
        List<String> excesses = new ArrayList<>();
        CommentRates.byModule(JavaSources.all())
                .forEach((module, rates) ->
                        excesses.addAll(rates.excesses(module, CEILINGS.getOrDefault(module, BARS))));

        assertThat(String.join("\n", excesses))
                .as(
                        "rates of comments above the ceiling of their module: write a sentence with a noun as subject, a verb and an"
                                + " object (docs/internals/style.md, English), or cut what repeats the code")
                .isEmpty();
    }

    @Test
    void tableNamesPresentModules() throws IOException {
        assertThat(CommentRates.byModule(JavaSources.all()).keySet())
                .as("modules with main code (expected: each module of the table of ceilings)")
                .containsAll(CEILINGS.keySet());
    }

    @Test
    void countsWordsAndMarkersOfCommentsAlone() {
        CommentRates rates =
                CommentRates.byModule(Map.of("a/b/src/main/java/x/A.java", """
                package x;

                import y.B;

                /**
                 * Is told what
                 * is due, none that of nobody.
                 */
                class A { // one of
                    // those that
                    String text = "what is none"; /* Says */
                    /* */
                }
                """)).get("a/b");

        assertThat(rates.words()).isEqualTo(9 + 2 + 2 + 1);
        assertThat(rates.codeLines()).isEqualTo(3);
        assertThat(rates.density()).isCloseTo(100.0 * 14 / 3, within(0.01));
        assertThat(rates.rate(Marker.CLAUSE)).isCloseTo(10_000.0 / 14, within(0.01));
        assertThat(rates.rate(Marker.NONE)).isCloseTo(10_000.0 / 14, within(0.01));
        assertThat(rates.rate(Marker.ONE_THAT)).isCloseTo(20_000.0 / 14, within(0.01));
        assertThat(rates.rate(Marker.TELL)).isCloseTo(20_000.0 / 14, within(0.01));
        assertThat(rates.rate(Marker.WHO)).isCloseTo(10_000.0 / 14, within(0.01));
    }

    @Test
    void readsMainCodeWithoutPackageDescriptionsAndBenchmarks() {
        assertThat(CommentRates.byModule(Map.of(
                        "a/src/main/java/x/A.java", "// a",
                        "a/src/main/java/x/package-info.java", "/** None. */",
                        "a/src/test/java/x/ATest.java", "// none",
                        "b/benchmark/src/main/java/x/B.java", "// none")))
                .hasSize(1)
                .hasEntrySatisfying("a", rates -> assertThat(rates.words()).isEqualTo(1));
    }

    @Test
    void reportsModuleMarkerRateCeilingAndExamples() {
        CommentRates rates = CommentRates.byModule(
                        Map.of("a/src/main/java/x/A.java", "class A {\n    /** Null for none. */\n    // none\n}\n"))
                .get("a");

        assertThat(rates.excesses("a", Ceilings.of(5, 3, 5, 5, 8, 100)))
                .containsExactly(
                        "a: \"none\" per 10,000 words: 5000.0 (expected: at most 3)\n"
                                + "    a/src/main/java/x/A.java:2: Null for none.\n"
                                + "    a/src/main/java/x/A.java:3: none",
                        "a: comment words per 100 lines of code: 200.0 (expected: at most 100)");
        assertThat(rates.excesses("a", Ceilings.of(5, 5_000, 5, 5, 8, 200))).isEmpty();
    }

    @Test
    void allowsSingleOccurrence() {
        CommentRates rates = CommentRates.byModule(
                        Map.of("a/src/main/java/x/A.java", "class A {\n    // Null for none.\n}\n"))
                .get("a");

        assertThat(rates.excesses("a", bars(1_000))).isEmpty();
    }

    private static Ceilings bars(int wordsPerHundredLines) {
        return Ceilings.of(5, 3, 5, 5, 8, wordsPerHundredLines);
    }
}
