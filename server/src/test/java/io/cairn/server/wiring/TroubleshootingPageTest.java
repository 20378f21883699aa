package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The texts that the guide says what to do about are those that the server, its scripts and the command line have. */
class TroubleshootingPageTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]*)`", Pattern.MULTILINE);
    /** Shorter pieces would be found anywhere. */
    private static final int TELLING = 7;

    @Test
    void theSourcesContainEveryTextOfTheGuide() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/guide/troubleshooting.md"));
        String sources = Stream.concat(
                        ServerSources.folders().stream(),
                        Stream.of("distribution/cli/src/main/java", "distribution/bin")
                                .map(ROOT::resolve))
                .map(TroubleshootingPageTest::texts)
                .collect(Collectors.joining("\n"))
                // Texts are broken over lines.
                .replaceAll("\"\\s*\\+\\s*\"", "")
                .replaceAll("\\s+", " ");

        List<String> pieces = ROW.matcher(page)
                .results()
                .map((MatchResult row) -> row.group(1))
                .flatMap(text -> Stream.of(text.split("…")))
                .map(piece -> piece.replaceAll("^[ :(]+|[ :(]+$", ""))
                .filter(piece -> piece.length() >= TELLING)
                .toList();

        assertThat(pieces).hasSizeGreaterThan(30).allSatisfy(piece -> assertThat(sources.contains(piece))
                .as(piece)
                .isTrue());
    }

    private static String texts(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .sorted()
                    .map(TroubleshootingPageTest::text)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
