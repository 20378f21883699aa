package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.process.CairnProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 1 at a server that takes HTTPS alone: its address must begin with {@code https://}. */
@Execution(ExecutionMode.CONCURRENT)
class NacosTls1IT {

    @Test
    void publishesListensRegistersAndFinds(@TempDir Path files) throws Exception {
        Certificates.write(files, "server", "SAN=ip:127.0.0.1,dns:localhost");
        try (CairnProcess cairn = CairnProcess.builder()
                .setting("cairn.tls.certificate", files.resolve("server.pem"))
                .setting("cairn.tls.private-key", files.resolve("server.key"))
                .setting("cairn.tls.plain-text", "refused")
                .start()) {
            var command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx128m",
                    "-XX:TieredStopAtLevel=1",
                    "-Duser.home=" + files,
                    "-Dtls.enable=true",
                    "-Dtls.client.authServer=true",
                    "-Dtls.client.trustCertPath=" + files.resolve("server.pem")));
            command.addAll(ClientSettings.arguments());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), EncryptedClient.class.getName()));
            command.add("https://" + cairn.serverAddress());
            Process client = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(said.lines()).contains("published true", "read one", "heard true", "found 10.0.0.9");
        }
    }
}
