package io.cairn.server.naming.label;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.testing.LogWatch;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabelsFileTest {

    @TempDir
    Path folder;

    private Path path;
    private final List<AddressLabels> used = new ArrayList<>();

    @BeforeEach
    void write() throws IOException {
        path = folder.resolve("labels.json");
        Files.writeString(path, "{\"10.0.0.0/8\":{\"site\":\"north\"}}");
    }

    @Test
    void usesTheFileAndReadsItAgainAfterAChange() throws IOException {
        LabelsFile file = new LabelsFile(path, used::add);
        assertThat(site()).isEqualTo("north");

        assertThat(file.reload()).isFalse();
        assertThat(used).hasSize(1);
        Files.writeString(path, "{\"10.0.0.0/8\":{\"site\":\"south\"}}");
        assertThat(file.reload()).isTrue();
        assertThat(site()).isEqualTo("south");
        assertThat(file.reload()).isFalse();
        assertThat(used).hasSize(2);
    }

    @Test
    void unusableFileKeepsTheFormerLabels() throws IOException {
        LabelsFile file = new LabelsFile(path, used::add);

        Files.writeString(path, "{\"10.0.0.0/8\":");
        assertThat(file.reload()).isFalse();
        Files.delete(path);
        assertThat(file.reload()).isFalse();
        assertThat(file.reload()).isFalse();
        assertThat(used).hasSize(1);
        Files.writeString(path, "{\"10.0.0.0/8\":{\"site\":\"south\"}}");
        assertThat(file.reload()).isTrue();
        assertThat(site()).isEqualTo("south");
    }

    @Test
    void warnsOnceEachTimeTheFileIsMissing() throws IOException {
        LabelsFile file = new LabelsFile(path, used::add);
        String good = Files.readString(path);
        try (LogWatch log = new LogWatch()) {
            for (int i = 0; i < 2; i++) {
                Files.delete(path);
                file.reload();
                file.reload();
                Files.writeString(path, good);
                file.reload();
            }

            assertThat(log.warningsOf(LabelsFile.class))
                    .hasSize(2)
                    .allMatch(line -> line.endsWith("is not there (make it, or take the setting out)"));
        }
    }

    @Test
    void invalidFileEndsTheStart() throws IOException {
        assertRefused("is not there (make it, or take the setting out)", folder.resolve("other.json"));
        Files.writeString(path, "{\"10.0.0.1/8\":{}}");
        assertRefused("'10.0.0.1/8': the address has bits set after the first 8", path);
        Files.write(path, new byte[] {'{', (byte) 0xff, '}'});
        assertRefused("is not UTF-8", path);
        try (RandomAccessFile large = new RandomAccessFile(path.toFile(), "rw")) {
            large.setLength(8 * 1024 * 1024 + 1);
        }
        assertRefused("is larger than 8388608 bytes (expected: subnets rather than addresses)", path);
        assertThat(used).isEmpty();
    }

    private void assertRefused(String why, Path file) {
        assertThatThrownBy(() -> new LabelsFile(file, used::add))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.text())
                        .isEqualTo("cairn.naming.labels-file: " + file + ": " + why));
    }

    private String site() {
        Map<String, String> labels = used.get(used.size() - 1).of("10.1.2.3");
        return labels.get("site");
    }
}
