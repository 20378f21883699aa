package io.cairn.client.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.Namespace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ContentReaderTest {

    enum Mode {
        READ_ONLY,
        FULL
    }

    record Pool(String url, int size) {}

    record Settings(
            String name,
            boolean on,
            double ratio,
            Duration timeout,
            Mode mode,
            Optional<Integer> limit,
            List<Pool> pools,
            Map<String, Integer> quotas,
            Set<String> tags) {}

    private static ConfigContent content(String dataId, ConfigType type, String text) {
        ConfigKey key = new ConfigKey(Namespace.DEFAULT, "g", dataId);
        return ConfigContent.fetched(key, text, type, Instant.now());
    }

    @Test
    void yamlAndJsonGiveTheSameRecord() {
        String yaml = """
                name: orders
                on: true
                ratio: 0.5
                timeout: 2s
                mode: read-only
                pools:
                  - {url: a, size: 1}
                  - url: b
                    size: 2
                quotas: {x: 1}
                tags: [t]
                unknown: 1
                """;
        String json = """
                {"name":"orders","on":true,"ratio":0.5,"timeout":"PT2S","mode":"READ_ONLY","pools":[
                {"url":"a","size":1},{"url":"b","size":2}],"quotas":{"x":1},"tags":["t"],"limit":null}
                """;
        Settings expected = new Settings(
                "orders",
                true,
                0.5,
                Duration.ofSeconds(2),
                Mode.READ_ONLY,
                Optional.empty(),
                List.of(new Pool("a", 1), new Pool("b", 2)),
                Map.of("x", 1),
                Set.of("t"));
        assertThat(content("a", ConfigType.YAML, yaml).as(Settings.class)).isEqualTo(expected);
        assertThat(content("a", ConfigType.JSON, json).as(Settings.class)).isEqualTo(expected);
        assertThat(content("a", ConfigType.TEXT, json).as(Settings.class)).isEqualTo(expected);
    }

    record Nested(Pool pool, List<String> hosts) {}

    @Test
    void propertiesNestByTheirDots() {
        ConfigContent content = content("a.properties", ConfigType.TEXT, "pool.url=jdbc:x\npool.size=5\nhosts=a, b\n");
        assertThat(content.as(Nested.class)).isEqualTo(new Nested(new Pool("jdbc:x", 5), List.of("a", "b")));
        assertThat(content.asProperties()).containsEntry("pool.size", "5");
    }

    record Labelled(Map<String, String> labels) {}

    @Test
    void namesInAMapOfPlainValuesMayHaveDots() {
        Labelled expected = new Labelled(Map.of("app.kubernetes.io/name", "x", "tier", "web"));
        assertThat(content("a.properties", ConfigType.TEXT, "labels.app.kubernetes.io/name=x\nlabels.tier=web\n")
                        .as(Labelled.class))
                .isEqualTo(expected);
        assertThat(content("a", ConfigType.YAML, "labels:\n  app.kubernetes.io/name: x\n  tier: web\n")
                        .as(Labelled.class))
                .isEqualTo(expected);
    }

    @Test
    void ignoresPropertyNamesOfOnlyDots() {
        assertThat(content(
                                "a.properties",
                                ConfigType.TEXT,
                                ".=1\n..=2\n=3\npool..x=4\npool.url=u\npool.size=5\nhosts=a")
                        .as(Nested.class))
                .isEqualTo(new Nested(new Pool("u", 5), List.of("a")));
    }

    @Test
    void derivesTheTypeFromTheExtension() {
        assertThat(ConfigRequests.typeOf("orders.YML")).isEqualTo(ConfigType.YAML);
        assertThat(ConfigRequests.typeOf("a.b.properties")).isEqualTo(ConfigType.PROPERTIES);
        assertThat(ConfigRequests.typeOf("orders.unset")).isEqualTo(ConfigType.TEXT);
        assertThat(ConfigRequests.typeOf("json")).isEqualTo(ConfigType.TEXT);
        assertThat(ConfigRequests.typeOf("orders")).isEqualTo(ConfigType.TEXT);
    }

    @Test
    void reportsFieldsThatDoNotFit() {
        assertThatThrownBy(
                        () -> content("a", ConfigType.YAML, "url: x\nsize: big").as(Pool.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("public/g/a.size: 'big' (expected: int)");
        assertThatThrownBy(() -> content("a", ConfigType.YAML, "url: x").as(Pool.class))
                .hasMessage("public/g/a.size: nothing (expected: int)");
        assertThatThrownBy(() -> content("a", ConfigType.YAML, "url: [").as(Pool.class))
                .hasMessageContaining("not valid YAML or JSON");
        assertThatThrownBy(() -> content("a", ConfigType.XML, "<a/>").as(Pool.class))
                .hasMessageContaining("type xml (expected: json, yaml or properties)");
        assertThatThrownBy(() -> content("a", ConfigType.YAML, "- 1").as(Pool.class))
                .hasMessageContaining("(expected: a map)");
    }

    @Test
    void aSnapshotThatWasDamagedIsNotUsed(@org.junit.jupiter.api.io.TempDir java.nio.file.Path folder)
            throws java.io.IOException {
        Snapshots snapshots = new Snapshots(new io.cairn.client.internal.SnapshotFolder(folder, Runnable::run));
        ConfigContent content = content("a/b*?", ConfigType.YAML, "x: 1\ny: ä");
        snapshots.keep(content);
        assertThat(snapshots.find(content.key())).map(ConfigContent::text).contains(content.text());
        assertThat(snapshots.find(content.key()).orElseThrow().type()).isEqualTo(ConfigType.YAML);
        try (var files = java.nio.file.Files.walk(folder)) {
            java.nio.file.Path file =
                    files.filter(java.nio.file.Files::isRegularFile).findFirst().orElseThrow();
            java.nio.file.Files.writeString(file, "?", java.nio.file.StandardOpenOption.APPEND);
        }
        assertThat(snapshots.find(content.key())).isEmpty();
        snapshots.forget(content.key());
        snapshots.forget(content.key());
        try (var files = java.nio.file.Files.walk(folder)) {
            assertThat(files.filter(java.nio.file.Files::isRegularFile)).isEmpty();
        }
    }
}
