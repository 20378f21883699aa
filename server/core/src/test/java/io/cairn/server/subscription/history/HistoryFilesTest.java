package io.cairn.server.subscription.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.testing.SettableClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFilesTest {

    private static final EventFilter ALL = new EventFilter(null, null, null, null, null);
    private static final SeenClient CLIENT = new SeenClient("10.0.0.1", "orders", "", "", "1");
    private static final ConfigKey KEY = new ConfigKey(Namespace.ofNullable(null), "G", "a.yaml");
    private static final Duration KEEP = Duration.ofDays(7);
    private static final long BYTES = 1 << 20;

    @TempDir
    Path folder;

    private final SettableClock clock = new SettableClock();

    private HistoryFiles open() throws IOException {
        return new HistoryFiles(folder, new HistoryLimits(KEEP, BYTES), clock);
    }

    private void notified(HistoryFiles files, int count) throws IOException {
        files.append(writer -> {
            for (int i = 0; i < count; i++) {
                writer.notified(clock.millis(), CLIENT, KEY);
            }
        });
    }

    private long bytesOnDisk() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    @Test
    void findsTheNewestFirstOverFilesAndAfterARestart() throws Exception {
        for (int run = 0; run < 3; run++) {
            try (HistoryFiles files = open()) {
                for (int i = 0; i < 4; i++) {
                    clock.advance(Duration.ofSeconds(1));
                    notified(files, 1);
                }
            }
        }
        try (HistoryFiles files = open()) {
            List<ClientEvent> found = files.find(ALL, 6);

            assertThat(found)
                    .extracting(ClientEvent::atMillis)
                    .hasSize(6)
                    .first()
                    .isEqualTo(clock.millis());
            assertThat(found)
                    .extracting(ClientEvent::atMillis)
                    .isSortedAccordingTo(java.util.Comparator.reverseOrder());
            assertThat(files.find(ALL, 100)).hasSize(12);
        }
    }

    @Test
    void neverExceedsItsSizeAndDropsTheOldest() throws Exception {
        try (HistoryFiles files = open()) {
            for (int i = 0; i < 400; i++) {
                clock.advance(Duration.ofSeconds(1));
                notified(files, 2_000);
                assertThat(bytesOnDisk()).isLessThan(BYTES + BYTES / 16);
            }

            List<ClientEvent> found = files.find(ALL, 1_000_000);
            assertThat(found.get(0).atMillis()).isEqualTo(clock.millis());
            assertThat((long) found.size()).isGreaterThan(BYTES / 8);
            assertThat(files.bytes()).isEqualTo(bytesOnDisk());
        }
    }

    @Test
    void endsWithItsAge() throws Exception {
        try (HistoryFiles files = open()) {
            notified(files, 1);
            Path first;
            try (Stream<Path> all = Files.list(folder)) {
                first = all.findFirst().orElseThrow();
            }
            Files.setLastModifiedTime(first, FileTime.fromMillis(clock.millis()));
            clock.advance(KEEP.plusSeconds(1));

            assertThat(files.find(ALL, 10)).isEmpty();
            notified(files, 1);
            assertThat(first).doesNotExist();
            assertThat(files.find(ALL, 10)).hasSize(1);
        }
    }

    @Test
    void aRefusedWriteLeavesTheEventsBeforeAndAfterItReadable() throws Exception {
        try (HistoryFiles files = open()) {
            notified(files, 1);
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> files.append(writer -> {
                            writer.notified(clock.millis(), CLIENT, KEY);
                            throw new IllegalStateException("full");
                        }))
                        .hasMessage("full");
            }
            try (Stream<Path> all = Files.list(folder)) {
                assertThat(all).as("no file without an event").hasSize(1);
            }
            Path blocked = folder.resolve("0000000021.events");
            Files.createDirectory(blocked);
            assertThatThrownBy(() -> notified(files, 1)).isInstanceOf(IOException.class);
            Files.delete(blocked);

            notified(files, 1);

            assertThat(files.find(ALL, 10)).hasSize(2);
        }
    }
}
