package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.distribution.Installation.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The scripts and a server whose ports are open, and that is not ready. */
@Tag("full")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the scripts are those of Unix")
final class NotReadyIT {

    private static final String REASON = "ISOLATED: the node does not reach 10.0.0.2:8848";

    @TempDir
    Path folder;

    private Installation cairn;

    @BeforeEach
    void install() throws Exception {
        cairn = Installation.create(folder, "a folder's name");
        cairn.replaceServer();
    }

    @AfterEach
    void remove() throws Exception {
        cairn.close();
    }

    @Test
    void aStartThatTakesTooLongEndsWithTheReason() throws Exception {
        cairn.environment("CAIRN_START_TIMEOUT", "15");

        Answer late = cairn.startup("--fake.waits=" + REASON);

        assertThat(late.status()).isOne();
        assertThat(late.text().lines())
                .contains(
                        "Cairn did not start: it was not ready within 15 s and has been stopped (CAIRN_START_TIMEOUT): "
                                + REASON,
                        "Log: " + cairn.home().resolve("logs/start.out"));
        assertThat(cairn.server()).isEmpty();
        try (Stream<Path> left = Files.list(cairn.home().resolve("data"))) {
            List<String> names = left.map(file -> file.getFileName().toString()).toList();
            assertThat(names).noneMatch(name -> name.startsWith("startup."));
        }
    }
}
