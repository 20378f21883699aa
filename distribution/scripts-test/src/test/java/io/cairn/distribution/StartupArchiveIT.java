package io.cairn.distribution;

import static io.cairn.testing.Patience.PATIENCE;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.distribution.Installation.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The start-up archive: recorded on purpose, and given up with what it is recorded for. */
@Tag("full")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the scripts are those of Unix")
final class StartupArchiveIT {
    /** A JVM that waits for a debugger before it runs anything. */
    private static final String NEVER_ENDS =
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";
    /** Slow enough for a script to be killed before it ends. */
    private static final String INTERPRETED = "-Xint";

    @TempDir
    Path folder;

    private Installation cairn;

    @BeforeEach
    void install() throws Exception {
        cairn = Installation.create(folder, "a folder's name");
        cairn.environment("CAIRN_AOT", "on");
    }

    @AfterEach
    void remove() throws Exception {
        cairn.close();
    }

    private Path lock() {
        return cairn.home().resolve("data/aot/training.lock");
    }

    private Optional<ProcessHandle> training() {
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    List<String> arguments = Installation.commandLine(process);
                    return arguments.contains("--train") && arguments.contains("-Dcairn.home=" + lock());
                })
                .findAny();
    }

    /** Starts a server and a recording whose JVM has this option. */
    private ProcessHandle startWithTraining(String option) throws Exception {
        cairn.program("nice", "shift 2; JAVA_TOOL_OPTIONS=" + option + " exec \"$@\"");
        Answer started = cairn.startup();
        assertThat(started.status()).as(started.text()).isZero();
        await().until(() -> training().isPresent());
        return training().orElseThrow();
    }

    private static void ends(ProcessHandle process) {
        await().until(() -> !process.isAlive());
    }

    private void leavesNothing() {
        await().until(() -> !Files.exists(lock()));
        assertThat(cairn.home().resolve("data/aot")).isEmptyDirectory();
    }

    @Test
    void aRecordingEndsWithItsServerThatIsKilled() throws Exception {
        ProcessHandle training = startWithTraining(NEVER_ENDS);

        cairn.server().orElseThrow().destroyForcibly();

        ends(training);
        leavesNothing();
    }

    @Test
    void aRecordingEndsWithItsServerThatIsStopped() throws Exception {
        ProcessHandle training = startWithTraining(NEVER_ENDS);

        assertThat(cairn.shutdown().status()).isZero();

        ends(training);
        leavesNothing();
    }

    @Test
    void aRecordingEndsWithTheInstallation() throws Exception {
        ProcessHandle training = startWithTraining(NEVER_ENDS);

        // The server still runs, with the jars that it has open.
        try (Stream<Path> jars = Files.walk(cairn.home().resolve("lib"))) {
            for (Path file : jars.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }

        ends(training);
        assertThat(cairn.server()).isPresent();
        leavesNothing();
    }

    @Test
    void aRecordingEndsByItselfWhereTheScriptBehindItWasKilled() throws Exception {
        ProcessHandle training = startWithTraining(INTERPRETED);
        ProcessHandle script = training.parent().orElseThrow();
        script.destroyForcibly();
        script.onExit().get(PATIENCE.toSeconds(), SECONDS);

        ends(training);
        // Neither has it begun to write the archive, which another JVM would do.
        assertThat(Files.readString(lock().resolve("out")))
                .contains("the training run ends without an archive: process " + script.pid() + " is gone")
                .doesNotContain("Launching");
        assertThat(cairn.server()).isPresent();
    }

    /** A recent lock belongs to another recording; one of five minutes ago is abandoned. */
    private void abandonALock() throws Exception {
        Path lock = Files.createDirectories(cairn.home().resolve("aot/training.lock"));
        Answer busy = cairn.startup("--record-archive");
        assertThat(busy.status()).isOne();
        assertThat(busy.text()).contains("another recording is under way in " + lock);
        Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minusSeconds(MINUTES.toSeconds(5))));
    }

    @Test
    void recordsAnArchiveDespiteAnAbandonedLockAndTheFirstStartUsesIt() throws Exception {
        abandonALock();
        Answer recorded = cairn.startup("--record-archive");
        assertThat(recorded.status()).as(recorded.text()).isZero();
        assertThat(recorded.text())
                .startsWith(cairn.home().resolve("aot") + "/cairn-java")
                .endsWith(" was recorded; starts with the same JDK and flags use it\n");
        Path archive = Path.of(recorded.text().substring(0, recorded.text().indexOf(" was recorded")));
        assertThat(archive).isNotEmptyFile();
        assertThat(cairn.server()).isEmpty();
        assertThat(cairn.startup("--record-archive")).isEqualTo(new Answer(0, archive + " fits already\n"));

        // The size of the heap makes no difference: an image is recorded on another machine.
        cairn.environment("CAIRN_MEMORY", "300m");
        assertThat(cairn.startup().status()).isZero();
        assertThat(Installation.commandLine(cairn.server().orElseThrow()))
                .anyMatch(argument -> argument.startsWith("-XX:") && argument.endsWith("=" + archive));
        // As the JVM maps it, so it has taken it.
        assertThat(Files.readString(Path.of(
                        "/proc", Long.toString(cairn.server().orElseThrow().pid()), "maps")))
                .contains(archive.getFileName().toString());
        assertThat(cairn.home().resolve("data/aot")).doesNotExist();
    }

    @Test
    void reportsInOneLineWhyNothingWasRecorded() throws Exception {
        cairn.environment("CAIRN_AOT", "off");
        assertThat(cairn.startup("--record-archive"))
                .isEqualTo(new Answer(
                        1,
                        "startup.sh: no start-up archive was recorded: CAIRN_AOT=off, or JVM flags that choose an archive,"
                                + " exclude it\n"));

        cairn.environment("CAIRN_AOT", "on").environment("CAIRN_MEMORY", "-Xmx3m");
        // Of a recording that was killed: its owner is no process of this machine any more.
        Path lock = Files.createDirectories(cairn.home().resolve("aot/training.lock"));
        Process ended = new ProcessBuilder(
                        "bash",
                        "-c",
                        "echo $HOSTNAME $$ >\"$0\"",
                        lock.resolve("owner").toString())
                .start();
        assertThat(ended.waitFor()).isZero();
        Answer failed = cairn.startup("--record-archive");
        assertThat(failed.status()).isOne();
        assertThat(failed.text())
                .startsWith("startup.sh: no start-up archive was recorded: status ")
                .hasLineCount(1);
        assertThat(cairn.home().resolve("aot/training.lock")).doesNotExist();
    }

    @Test
    void printsTheVersion() throws Exception {
        Answer version = cairn.startup("--version");
        assertThat(version.status()).isZero();
        assertThat(version.text()).matches("Cairn \\d\\S+\n");
        Answer ofTheCommand = cairn.run(cairn.home().resolve("bin/cairn"), "--version");
        assertThat(ofTheCommand.text()).startsWith(version.text().strip().replace("Cairn", "cairn") + ", Java ");
    }
}
