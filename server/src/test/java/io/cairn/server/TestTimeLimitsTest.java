package io.cairn.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Refuses waits of tests that have a number of their own as their limit, and free ports that are looked for elsewhere than in
 * {@code ReservedPorts}. Reads the test sources of all modules.
 */
class TestTimeLimitsTest {

    /** Modules whose main sources are for tests alone, and the folder that two modules compile as tests. */
    private static final List<String> TEST_FOLDERS = List.of(
            "/src/test/java/",
            "client/spring-boot/src/it/java/",
            "server/compatibility/scenarios/src/main/java/",
            "server/nodes/src/main/java/",
            "server/process/src/main/java/");

    private static final String NUMBER = "[0-9][0-9_]*L?";
    private static final String LONG = "(TimeUnit\\.)?(SECONDS|MINUTES)";
    private static final Pattern OWN_LIMIT = Pattern.compile(String.join(
            "|",
            "atMost\\(\\s*(Duration\\.of|" + NUMBER + ")",
            "(succeedsWithin|failsWithin)\\(\\s*(Duration\\.of(Seconds|Minutes)|" + NUMBER + ")",
            "\\.(get|await|poll|waitFor|awaitTermination|orTimeout|withDeadlineAfter)\\(\\s*" + NUMBER + ",\\s*" + LONG
                    + "\\)",
            "invokeAll\\([^;]*,\\s*" + NUMBER + ",\\s*" + LONG + "\\)",
            "setSoTimeout\\(\\s*[0-9_]{4,}\\)",
            "\\.join\\(\\s*[0-9_]{4,}\\)",
            "assertTimeout(Preemptively)?\\(\\s*Duration\\.of",
            "PATIENCE\\w* = (Duration\\.of|" + NUMBER + ";)",
            // Endurance tests end after half an hour and more.
            "@Timeout\\([0-9]{1,3}\\)"));
    private static final Pattern OWN_PORT = Pattern.compile("nextInt\\(\\s*[0-9_]{5,6},\\s*[0-9_]{5,6}\\)");

    @Test
    void waitsForSuccessHaveOneLimit() throws IOException {
        assertThat(found(OWN_LIMIT))
                .as("limits of waits with a number of their own (expected: Patience.PATIENCE, or none for Awaitility)")
                .isEmpty();
    }

    @Test
    void portsThatAreBoundLaterAreReserved() throws IOException {
        assertThat(found(OWN_PORT))
                .as("ports by chance (expected: ReservedPorts)")
                .isEmpty();
    }

    @Test
    void findsLimits() {
        for (String wait : List.of(
                "await().atMost(Duration.ofSeconds(5)).until(x)",
                "await().atMost(10, SECONDS)",
                "assertThat(x).succeedsWithin(Duration.ofSeconds(5))",
                "future.get(5, TimeUnit.SECONDS)",
                "latch.await( 5, SECONDS)",
                "pool.invokeAll(List.of(one, two), 30, TimeUnit.SECONDS)",
                "socket.setSoTimeout(20_000)",
                "private static final Duration PATIENCE = Duration.ofSeconds(60);",
                "@Timeout(60)")) {
            assertThat(OWN_LIMIT.matcher(wait).find()).as(wait).isTrue();
        }
        for (String other : List.of(
                "future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)",
                "await().atMost(PATIENCE.multipliedBy(2))",
                "queue.poll(50, TimeUnit.MILLISECONDS)",
                "socket.setSoTimeout(1)",
                "@Timeout(3600)")) {
            assertThat(OWN_LIMIT.matcher(other).find()).as(other).isFalse();
        }
    }

    private static List<String> found(Pattern pattern) throws IOException {
        List<String> found = new ArrayList<>();
        JavaSources.all().forEach((name, source) -> {
            if (isTest(name)) {
                pattern.matcher(source).results().forEach(match -> {
                    long line = source.substring(0, match.start()).lines().count();
                    found.add(name + ":" + line + ": " + match.group());
                });
            }
        });
        return found;
    }

    private static boolean isTest(String name) {
        return !name.endsWith("/TestTimeLimitsTest.java")
                && TEST_FOLDERS.stream().anyMatch(folder -> name.contains(folder) || name.startsWith(folder));
    }
}
