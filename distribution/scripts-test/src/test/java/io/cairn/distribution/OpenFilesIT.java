package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server that may open few files, and clients that open more connections than that. */
@Tag("full")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no such limit")
final class OpenFilesIT {
    private static final int FILES = 300;
    private static final String REFUSED = "are not accepted: ";

    @TempDir
    Path folder;

    private Installation cairn;

    @BeforeEach
    void install() throws Exception {
        cairn = Installation.create(folder, "cairn");
    }

    @AfterEach
    void remove() throws Exception {
        cairn.close();
    }

    @Test
    void runningOutOfFilesIsOneCountedLineAndAFinding() throws Exception {
        Path limited = Installation.script(
                cairn.home().resolve("limited.sh"),
                "ulimit -n " + FILES + "\nexec \"$(dirname \"$0\")/bin/startup.sh\"");
        Installation.Answer started = cairn.run(limited);
        assertThat(started.status()).as(started.text()).isZero();
        Path log = cairn.home().resolve("logs/cairn.log");

        List<Socket> open = new ArrayList<>();
        try {
            for (int port : List.of(cairn.ports().http(), cairn.ports().grpc())) {
                for (int i = 0; i < FILES; i++) {
                    open.add(new Socket(InetAddress.getLoopbackAddress(), port));
                }
            }
            await().until(() -> Files.readString(log).contains(REFUSED));
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }

        await().ignoreExceptions()
                .until(() -> cairn.get("/nacos/v3/admin/core/state/liveness").status() == 200);
        assertThat(Files.readAllLines(log).stream().filter(line -> line.contains(REFUSED)))
                .singleElement()
                .asString()
                .contains("Too many open files")
                .contains("this process may open " + FILES + "; allow 65536 or more by ulimit -n");
        assertThat(Files.readString(log)).doesNotContain("exceptionCaught").doesNotContain("\tat ");
        assertThat(cairn.get("/nacos/v3/admin/core/attention").text())
                .contains("\"kind\":\"LIMIT_NEAR\",\"urgent\":true,\"subject\":\"open-files\"")
                .contains("connections that were not accepted: ");
        assertThat(cairn.get("/actuator/prometheus").text())
                .contains("cairn_limit_max{limit=\"open-files\"} " + FILES + ".0")
                .containsPattern("cairn_limit_exceeded_total\\{limit=\"open-files\"} [1-9]");

        cairn.environment("CAIRN_SERVER", "127.0.0.1:" + cairn.ports().http());
        Installation.Answer findings = cairn.run(cairn.home().resolve("bin/cairn"), "doctor");
        assertThat(findings.status()).as(findings.text()).isOne();
        assertThat(findings.text())
                .contains("fail  findings  limit open-files: ")
                .contains("files     ")
                .contains("of " + FILES + " are open -> allow 65536 or more");
    }
}
