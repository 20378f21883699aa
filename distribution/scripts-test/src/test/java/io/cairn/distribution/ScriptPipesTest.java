package io.cairn.distribution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Under {@code pipefail} a pipe fails with status 141 when its last command leaves before the others have written all. It
 * depends on which one is faster, so such a script fails now and then.
 */
class ScriptPipesTest {

    private static final Path ROOT = Path.of("..", "..");
    private static final Pattern LEAVES_EARLY = Pattern.compile("\\|\\s*(head\\b|grep\\s+(-\\w*[qm]|--quiet))");

    /** More lines than a pipe holds. */
    private static final int MODULES = 5_000;

    @TempDir
    Path folder;

    static Stream<Path> scripts() throws IOException {
        return Stream.of(".ci", "distribution/bin", "distribution/benchmark")
                .flatMap(name -> filesIn(ROOT.resolve(name)))
                .filter(file -> read(file).contains("pipefail"));
    }

    private static Stream<Path> filesIn(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void readersOfAPipeReadAll(Path script) {
        assertThat(read(script).lines().filter(LEAVES_EARLY.asPredicate())).isEmpty();
    }

    @Test
    void theSlowestOfManyModulesAreListed() throws Exception {
        Path script = Files.createDirectories(folder.resolve(".ci")).resolve("slowest");
        Files.copy(ROOT.resolve(".ci").resolve("slowest"), script);
        List<String> modules = IntStream.rangeClosed(1, MODULES)
                .mapToObj(i -> "[INFO] Cairn module " + i + " ........ SUCCESS [ " + i + ".5 s]")
                .toList();
        Path log = Files.write(folder.resolve("log"), modules);

        Process process = new ProcessBuilder("bash", script.toString(), log.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines().filter(line -> line.contains("Cairn module")))
                .hasSize(10)
                .first()
                .asString()
                .contains(MODULES + ".5 s");
    }
}
