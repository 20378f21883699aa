package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The messages of the scripts when the disk is full. Programs that fail in the same way replace a full disk. */
@Tag("full")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the scripts are those of Unix")
final class FullDiskIT {
    @TempDir
    Path folder;

    private Installation cairn;

    @BeforeEach
    void install() throws Exception {
        cairn = Installation.create(folder, "cairn");
        cairn.program("head", "printf x; exit 1")
                .program(
                        "df",
                        "echo Filesystem 1024-blocks Used Available Capacity Mounted on; echo /dev/x 10 10 0 100% /");
    }

    @AfterEach
    void remove() throws Exception {
        cairn.close();
    }

    @Test
    void refusesToStartOnAFullDiskInOneLine() throws Exception {
        Path data = cairn.home().resolve("data");

        assertThat(cairn.startup())
                .isEqualTo(new Installation.Answer(
                        1,
                        "Cairn did not start: the disk of " + data + " is full; free some space (df -h " + data
                                + " shows what there is)\n"));
        assertThat(data).isEmptyDirectory();
    }

    @Test
    void theCommandLineWorksWithoutItsClassArchive() throws Exception {
        Path data = Files.createDirectories(cairn.home().resolve("data"));

        Installation.Answer help = cairn.run(cairn.home().resolve("bin/cairn"), "--help");

        assertThat(help.status()).as(help.text()).isZero();
        assertThat(help.text()).startsWith("Usage: cairn").doesNotContain("VM", "archive error");
        assertThat(data).isEmptyDirectory();
    }
}
