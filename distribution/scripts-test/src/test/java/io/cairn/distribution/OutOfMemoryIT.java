package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.distribution.Installation.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server whose memory is used up ends with a line in its log and on standard error, and with a status that restarts it. */
@Tag("full")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the scripts are those of Unix")
final class OutOfMemoryIT {

    /** The exit status of a JVM that ends for want of memory. */
    private static final int STATUS = 3;

    private static final String LINE =
            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ERROR \\d+ --- \\[out-of-memory] bin/startup.sh : "
                    + "The server ends with status 3, because its memory is used up \\(heap: -Xmx48m\\); .* CAIRN_MEMORY.*";

    @TempDir
    Path folder;

    private Installation cairn;

    @BeforeEach
    void install() throws Exception {
        cairn = Installation.create(folder, "a folder's name"); // with what shells stumble over
        cairn.replaceServer();
        cairn.environment("CAIRN_MEMORY", "-Xms16m -Xmx64m")
                .environment("CAIRN_OPTS", "-XX:TieredStopAtLevel=1 -Xmx48m");
    }

    @AfterEach
    void remove() throws Exception {
        cairn.close();
    }

    private List<String> lines(String log) throws IOException {
        Path file = cairn.home().resolve("logs").resolve(log);
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    @Test
    void saysSoInTheForeground() throws Exception {
        Answer ended = cairn.startup("--foreground");

        assertThat(ended.status()).isEqualTo(STATUS);
        assertThat(ended.text().lines()).anySatisfy(line -> assertThat(line).matches(LINE));
        assertThat(lines("cairn.log")).singleElement().satisfies(line -> assertThat(line)
                .matches(LINE));
    }

    @Test
    void saysSoInTheBackground() throws Exception {
        assertThat(cairn.startup().status()).isZero();

        await().untilAsserted(() -> {
            assertThat(lines("cairn.log")).singleElement().satisfies(line -> assertThat(line)
                    .matches(LINE));
            assertThat(lines("start.out")).anySatisfy(line -> assertThat(line).matches(LINE));
        });
    }

    @Test
    void isStartedAgainByServiceManagersAndContainers() throws Exception {
        List<String> unit = Files.readAllLines(Path.of("..", "deploy", "systemd", "cairn.service"));
        assertThat(unit)
                .contains("Restart=on-failure")
                .anyMatch(line -> line.startsWith("ExecStart=") && line.endsWith("--foreground"));
        assertThat(unit)
                .filteredOn(
                        line -> line.startsWith("SuccessExitStatus=") || line.startsWith("RestartPreventExitStatus="))
                .noneMatch(line -> List.of(line.split("[= ]")).contains(Integer.toString(STATUS)));

        YamlNode one = YamlNode.read(Path.of("..", "deploy", "docker", "compose.yaml"));
        assertThat(one.at("services", "cairn", "restart").text()).isEqualTo("unless-stopped");
        YamlNode three = YamlNode.read(Path.of("..", "deploy", "compose", "compose.yaml"));
        for (String node : List.of("cairn1", "cairn2", "cairn3")) {
            assertThat(three.at("services", node, "restart").text()).isEqualTo("unless-stopped");
        }
        // A pod of a StatefulSet is always started again; the chart must not say otherwise.
        String chart = Files.readString(Path.of("..", "deploy", "helm", "cairn", "templates", "statefulset.yaml"));
        assertThat(chart).doesNotContain("restartPolicy: Never", "restartPolicy: OnFailure");
    }
}
