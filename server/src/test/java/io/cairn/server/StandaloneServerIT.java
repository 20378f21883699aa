package io.cairn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.support.ChildServer;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is no node of a cluster, and that no proxy uses, pays for neither. */
@Tag("full")
class StandaloneServerIT {

    @TempDir
    Path home;

    @Test
    void loadsNoClassOfJGroupsOrProtobufAndHasNeitherThreadNorPortOfACluster() throws Exception {
        Path classes = home.resolve("classes.log");
        try (ChildServer server = ChildServer.start(
                home,
                Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + classes),
                "--server.address=127.0.0.1",
                "--nacos.core.auth.enabled=true")) {
            List<String> loaded = Files.readAllLines(classes);
            assertThat(loaded).anyMatch(line -> line.contains(" io.cairn.server.wiring.lifecycle.ServerLifecycle "));
            assertThat(loaded.stream()
                            .filter(line ->
                                    line.contains(" org.jgroups.") || line.contains(" io.cairn.server.cluster.JGroups"))
                            .toList())
                    .isEmpty();
            // Nor one of protobuf or of the module that uses it, but for the one that the service loader makes.
            assertThat(loaded.stream()
                            .filter(line -> line.contains(" com.google.protobuf.")
                                    || line.contains(" io.cairn.server.envoy.") && !line.contains(".Resources"))
                            .toList())
                    .isEmpty();
            assertThat(loaded.stream()
                            .filter(line -> line.contains(" io.cairn.server.auth.issuer.")
                                    || line.contains(" io.cairn.server.auth.RoleRule")
                                    || line.contains(" io.cairn.server.auth.Claims"))
                            .toList())
                    .as("without an issuer in the settings")
                    .isEmpty();
            assertThat(threads(server.pid()))
                    .contains("\"cairn-store-writer\"")
                    .doesNotContain(
                            "\"cairn-mesh",
                            "\"cairn-cluster\"",
                            "\"cairn-members\"",
                            "\"cairn-node-row\"",
                            "\"cairn-group-");
            assertThatThrownBy(() -> new Socket("127.0.0.1", server.httpPort() + 1_001).close())
                    .isInstanceOf(ConnectException.class);
        }
    }

    private static String threads(long pid) throws Exception {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(pid),
                        "Thread.print")
                .redirectErrorStream(true)
                .start();
        String text = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jcmd.waitFor()).as(text).isZero();
        return text;
    }
}
