package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files with secrets in the folder {@code conf} of an installation, as {@code doctor} sees them. */
class ConfSecretsTest {

    @TempDir
    Path home;

    @Test
    void namesAFileWithASecretThatAllUsersMayReadAndLeavesItsMode() throws Exception {
        Path settings = Files.writeString(
                Files.createDirectory(home.resolve("conf")).resolve("application.properties"),
                "db.password.0=geheim\n");
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(secrets()).singleElement().satisfies(finding -> {
            assertThat(finding.state()).isEqualTo(DoctorCommand.Finding.State.warn);
            assertThat(finding.text()).isEqualTo(settings + " has a secret and can be read by all users");
            assertThat(finding.todo()).isEqualTo("chmod 600 " + settings);
        });
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(settings)))
                .isEqualTo("rw-r--r--");

        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-------"));
        assertThat(secrets()).isEmpty();
    }

    private List<DoctorCommand.Finding> secrets() {
        List<DoctorCommand.Finding> findings = new ArrayList<>();
        new HomeChecks(home, Map.of()).run(findings, true, null);
        return findings.stream()
                .filter(finding -> finding.about().equals("secrets"))
                .toList();
    }
}
