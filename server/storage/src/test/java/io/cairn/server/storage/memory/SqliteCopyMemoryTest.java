package io.cairn.server.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.CopyMemory;
import io.cairn.server.node.NodeId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteCopyMemoryTest {

    private static final NodeId NODE = new NodeId("10.0.0.1:8848", 5);

    @TempDir
    Path folder;

    private static CopyMemory.Key key(NodeId owner, String publisher, String namespace) {
        return new CopyMemory.Key(owner, publisher, new ServiceKey(Namespace.ofNullable(namespace), "g", "s"));
    }

    private static CopyMemory.Entry entry(CopyMemory.Key key, @Nullable String text) {
        return new CopyMemory.Entry(key, text == null ? null : text.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<CopyMemory.Key, String> all(CopyMemory memory) {
        Map<CopyMemory.Key, String> all = new HashMap<>();
        memory.forEach(entry -> {
            byte[] encoded = entry.encoded();
            all.put(entry.key(), encoded == null ? "" : new String(encoded, StandardCharsets.UTF_8));
        });
        return all;
    }

    private Map<CopyMemory.Key, String> reopened() {
        try (CopyMemory memory = SqliteCopyMemory.open(folder)) {
            return all(memory);
        }
    }

    @Test
    void keepsLatestStateOfEachPublicationAfterReopening() {
        CopyMemory.Key one = key(NODE, "p", "");
        CopyMemory.Key laterRun = key(new NodeId(NODE.address(), 6), "p", "");
        CopyMemory.Key otherNamespace = key(NODE, "p", "n");
        CopyMemory.Key otherPublisher = key(NODE, "q", "");
        try (CopyMemory memory = SqliteCopyMemory.open(folder)) {
            memory.save(List.of(
                    entry(one, "1"), entry(laterRun, "2"), entry(otherNamespace, "3"), entry(otherPublisher, "4")));
            memory.save(List.of(entry(one, "5"), entry(otherPublisher, null)));
        }

        assertThat(reopened()).isEqualTo(Map.of(one, "5", laterRun, "2", otherNamespace, "3"));
    }

    @Test
    void isEmptyAfterItWasCleared() {
        try (CopyMemory memory = SqliteCopyMemory.open(folder)) {
            memory.save(List.of(entry(key(NODE, "p", ""), "1")));
            memory.clear();
        }

        assertThat(reopened()).isEmpty();
    }

    @Test
    void replacesFileThatIsNoDatabase() throws IOException {
        Files.writeString(folder.resolve("last-known-copies.db"), "no database at all\n".repeat(1_000));
        CopyMemory.Key one = key(NODE, "p", "");
        try (CopyMemory memory = SqliteCopyMemory.open(folder)) {
            memory.save(List.of(entry(one, "1")));
        }

        assertThat(reopened()).isEqualTo(Map.of(one, "1"));
    }
}
