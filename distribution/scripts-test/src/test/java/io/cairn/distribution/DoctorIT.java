package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.distribution.Installation.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The doctor beside an installation whose data lie elsewhere. */
@Tag("full")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the scripts are those of Unix")
final class DoctorIT {
    @TempDir
    Path folder;

    private Installation cairn;

    @BeforeEach
    void install() throws Exception {
        cairn = Installation.create(folder, "cairn");
        cairn.environment("CAIRN_SERVER", "127.0.0.1:" + cairn.ports().http());
    }

    @AfterEach
    void remove() throws Exception {
        cairn.close();
    }

    private Answer doctor(String... words) throws Exception {
        String[] all = new String[words.length + 1];
        all[0] = "doctor";
        System.arraycopy(words, 0, all, 1, words.length);
        return cairn.run(cairn.home().resolve("bin/cairn"), all);
    }

    @ParameterizedTest
    @ValueSource(strings = {"argument", "environment", "file"})
    void theDataFolderIsTheOneThatTheServerUses(String way) throws Exception {
        Path data = folder.resolve("elsewhere");
        String[] options = {};
        switch (way) {
            case "argument" -> options = new String[] {"--cairn.data-dir=" + data};
            case "environment" -> cairn.environment("CAIRN_DATADIR", data.toString());
            default -> cairn.setting("cairn.data-dir=" + data);
        }
        Answer started = cairn.startup(options);
        assertThat(started.status()).as(started.text()).isZero();
        cairn.environment("CAIRN_DATADIR", ""); // the doctor's own environment is that of another shell

        Answer findings = doctor();

        assertThat(findings.status()).as(findings.text()).isZero();
        assertThat(findings.text())
                .containsPattern("disk      \\d+ MB free for " + data)
                .containsPattern("data      \\d+ MB free for " + data)
                .contains("runs the server (process "
                        + cairn.server().orElseThrow().pid() + ")")
                .contains("runs this command")
                .contains("findings  the server has none")
                .contains("health    UP")
                .doesNotContain(cairn.home().resolve("data").toString());
        if (way.equals("file")) {
            anotherInstallationReportsTheOneOfTheServer();
        }
    }

    @Test
    void reportsMissingPermissionsInOneLineEach() throws Exception {
        Path data = folder.resolve("elsewhere");
        cairn.setting("nacos.core.auth.enabled=true");
        assertThat(cairn.startup("--cairn.data-dir=" + data).status()).isZero();

        Answer findings = doctor();

        assertThat(findings.status()).as(findings.text()).isZero();
        assertThat(findings.text())
                .contains("warn  findings  the server was not asked what needs attention: ")
                .contains("warn  java      the server was not asked for its Java, folders and disk: ")
                // By the command line of the process that runs here.
                .containsPattern("disk      \\d+ MB free for " + data);
        String password = data.resolve("auth/initial-admin-password").toString();
        Answer asked = doctor("--user", "nacos", "--password-file", password);
        assertThat(asked.status()).as(asked.text()).isZero();
        assertThat(asked.text())
                .contains("warn  findings  user nacos still has the password of the first start")
                .containsPattern("data      \\d+ MB free for " + data);
    }

    private void anotherInstallationReportsTheOneOfTheServer() throws Exception {
        try (Installation other = Installation.create(folder, "other-installation")) {
            other.environment("CAIRN_SERVER", "127.0.0.1:" + cairn.ports().http());

            Answer findings = other.run(other.home().resolve("bin/cairn"), "doctor");

            assertThat(findings.text())
                    .contains("the server is that of another installation (" + cairn.home() + "), this one is "
                            + other.home());
        }
    }
}
