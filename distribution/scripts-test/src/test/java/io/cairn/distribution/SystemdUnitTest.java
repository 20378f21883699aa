package io.cairn.distribution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The restrictions of the systemd unit in {@code deploy/systemd}. */
class SystemdUnitTest {

    private static final Path UNIT = Path.of("..", "deploy", "systemd", "cairn.service");

    /** The exposure that {@code systemd-analyze} calls OK ends at 4. */
    private static final double MOST_EXPOSURE = 3;

    @Test
    void theServerWritesItsTwoFoldersAndHasNoCapability() throws Exception {
        List<String> lines = Files.readAllLines(UNIT);

        assertThat(lines)
                .contains(
                        "ProtectSystem=strict",
                        "ReadWritePaths=/opt/cairn/data /opt/cairn/logs",
                        "CapabilityBoundingSet=",
                        "NoNewPrivileges=yes",
                        "SystemCallFilter=@system-service",
                        "SystemCallFilter=~@privileged @resources");
        assertThat(lines).as("the JVM compiles").doesNotContain("MemoryDenyWriteExecute=yes");
    }

    @Test
    void systemdFindsItsExposureSmall() throws Exception {
        assumeTrue(hasOfflineAnalysis(), "no systemd-analyze of version 250 or newer");
        Process analysis = new ProcessBuilder(
                        "systemd-analyze", "security", "--offline=true", "--no-pager", UNIT.toString())
                .redirectErrorStream(true)
                .start();
        String report = new String(analysis.getInputStream().readAllBytes(), UTF_8);
        analysis.waitFor();

        Matcher exposure = Pattern.compile("Overall exposure level for cairn.service: ([\\d.]+)")
                .matcher(report);
        assertThat(exposure.find()).as(report).isTrue();
        assertThat(Double.parseDouble(exposure.group(1))).as(report).isLessThan(MOST_EXPOSURE);
    }

    private static boolean hasOfflineAnalysis() throws InterruptedException {
        try {
            Process version = new ProcessBuilder("systemd-analyze", "--version")
                    .redirectErrorStream(true)
                    .start();
            Matcher number = Pattern.compile("systemd (\\d+)")
                    .matcher(new String(version.getInputStream().readAllBytes(), UTF_8));
            version.waitFor();
            return number.find() && Integer.parseInt(number.group(1)) >= 250;
        } catch (IOException e) {
            // There is no such command on this machine.
            return false;
        }
    }
}
