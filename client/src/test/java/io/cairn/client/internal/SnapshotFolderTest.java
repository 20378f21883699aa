package io.cairn.client.internal;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotFolderTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir
    Path root;

    private final Queue<Runnable> later = new ArrayDeque<>();

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private void runAll() {
        for (Runnable next = later.poll(); next != null; next = later.poll()) {
            next.run();
        }
    }

    @Test
    void closeWritesPendingSnapshotsAndRefusesLaterOnes() throws IOException {
        SnapshotFolder folder = new SnapshotFolder(root, later::add);
        folder.write(bytes("1"), NOW, "config", "a");
        folder.write(bytes("2"), NOW, "config", "b");
        folder.write(bytes("3"), NOW, "config", "a");
        assertThat(folder.read("config", "a")).isEmpty();

        folder.close(PATIENCE);

        assertThat(folder.read("config", "a").orElseThrow().bytes()).isEqualTo(bytes("3"));
        assertThat(folder.read("config", "a").orElseThrow().writtenAt()).isEqualTo(NOW);
        assertThat(folder.read("config", "b").orElseThrow().bytes()).isEqualTo(bytes("2"));
        folder.write(bytes("4"), NOW, "config", "b");
        runAll();
        assertThat(folder.read("config", "b").orElseThrow().bytes()).isEqualTo(bytes("2"));
        assertThat(names()).containsExactly("a", "b");
    }

    @Test
    void aThreadThatWasInterruptedWritesAllTheSameAndStaysInterrupted() throws IOException {
        SnapshotFolder folder = new SnapshotFolder(root, later::add);
        folder.write(bytes("1"), NOW, "config", "a");
        folder.write(bytes("2"), NOW, "config", "b");
        Thread.currentThread().interrupt();
        later.remove().run();
        folder.close(PATIENCE);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(names()).containsExactly("a", "b");
    }

    @Test
    void ofManyWritesOfOneFileTheLastOneIsDone() throws IOException {
        SnapshotFolder folder = new SnapshotFolder(root, later::add);
        for (int i = 0; i < 1_000; i++) {
            folder.write(bytes("1"), NOW, "config", "a");
        }
        folder.delete("config", "a");
        assertThat(later).hasSize(1);
        runAll();
        assertThat(names()).isEmpty();
    }

    @Test
    void aFailedWriteLeavesNoFile() throws IOException {
        // A folder that is not empty stands where the file is to be.
        Files.createDirectories(root.resolve("config/a/b"));
        SnapshotFolder folder = new SnapshotFolder(root, Runnable::run);
        folder.write(bytes("1"), NOW, "config", "a");
        folder.write(bytes("2"), NOW, "config", "c");
        assertThat(names()).containsExactly("c");
    }

    @Test
    void eachClusterHasItsOwnFolderForAnyOrderOfItsServers() {
        ServerAddress one = ServerAddress.parse("10.0.0.5", 1000, false);
        ServerAddress two = ServerAddress.parse("https://Two.example:80", 1000, false);
        assertThat(SnapshotFolder.nameOf(List.of(one, two)))
                .isEqualTo(SnapshotFolder.nameOf(List.of(two, one)))
                .isEqualTo("10.0.0.5%3a8848%2c%54wo.example%3a80")
                .isNotEqualTo(SnapshotFolder.nameOf(List.of(one)));
    }

    @Test
    void namesAreThoseThatAnyFileSystemTakes() {
        assertThat(SnapshotFolder.fileName("orders.yaml")).isEqualTo("orders.yaml");
        assertThat(SnapshotFolder.fileName("nul")).isEqualTo("%6eul");
        assertThat(SnapshotFolder.fileName("con.yaml")).isEqualTo("%63on.yaml");
        assertThat(SnapshotFolder.fileName("lpt1")).isEqualTo("%6cpt1");
        assertThat(SnapshotFolder.fileName("console")).isEqualTo("console");
        assertThat(SnapshotFolder.fileName("a.")).isEqualTo("a%2e");
        assertThat(SnapshotFolder.fileName("..")).isEqualTo("%2e%2e");
        assertThat(SnapshotFolder.fileName("A/b")).isEqualTo("%41%2fb");
    }
}
