package io.cairn.server.storage.sqlite;

import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.writer.Holding;
import io.cairn.server.testing.DamagedPages;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration on a damaged page fails alone, among those that are read and written with it. */
class SqliteDamageTest {

    private static final String TEXT = "the damaged content ";

    private TestStore store;

    @BeforeEach
    void damage(@TempDir Path folder) throws Exception {
        TestStore before = TestStore.start(TestDatabase.sqlite(folder));
        before.publish("sound", "a: 1");
        before.publish("damaged", TEXT.repeat(4_000));
        before.publish("other", "a: 1");
        before.close();
        store = TestStore.start(TestDatabase.sqlite(folder));
        // The connection that has read the list keeps pages in its cache.
        store.readers.close();
        assertThat(DamagedPages.of(folder.resolve("cairn.db"), TEXT)).isPositive();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void theOthersThatAreReadWithItAreFound() {
        Map<String, ConfigEntry> entries = new HashMap<>();
        List.of("sound", "damaged", "other").forEach(name -> entries.put(name, store.view.entry(key(name))));

        Map<ConfigEntry, ConfigVersion> found = store.store.loadTogether(List.copyOf(entries.values()));

        assertThat(found).containsOnlyKeys(entries.get("sound"), entries.get("other"));
        assertThatThrownBy(() -> store.store.load(entries.get("damaged"))).hasMessageContaining("is damaged");
        assertThat(store.readers.damage().found()).isNotNull();
    }

    @Test
    void theOthersThatAreWrittenWithItAreStored() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch until = new CountDownLatch(1);
        store.writer.submit(new Holding(started, until));
        assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletionStage<PublishResult> sound = store.store.publish(publish("sound", "a: 2"));
        CompletionStage<PublishResult> damaged = store.store.publish(publish("damaged", "a: 2"));
        CompletionStage<PublishResult> other = store.store.publish(publish("other", "a: 2"));
        until.countDown();

        assertThatThrownBy(() -> damaged.toCompletableFuture().join()).hasMessageContaining("is damaged");
        TestStore.published(sound.toCompletableFuture().join());
        TestStore.published(other.toCompletableFuture().join());
        assertThat(store.content("sound")).isEqualTo("a: 2");
        assertThat(store.view.entry(key("other")).digest().toString()).isEqualTo(SampleCommands.md5("a: 2"));
        assertThat(store.writer.availability().cause())
                .as("the database accepts writes")
                .isNull();
    }
}
