package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ContentLoaderTest {

    private final ArrayDeque<Runnable> pool = new ArrayDeque<>();
    private final Stored store = new Stored();
    private final ConfigView view = new ConfigView(new ChangeFeed(), 1 << 20);
    private final ContentLoader loader = new ContentLoader(store, view, pool::add, 2, 300);

    private void runPool() {
        for (Runnable next = pool.poll(); next != null; next = pool.poll()) {
            next.run();
        }
    }

    private CompletableFuture<Optional<ConfigVersion>> load(ConfigEntry entry) {
        return loader.load(entry, () -> store.present.get(entry.key())).toCompletableFuture();
    }

    @Test
    void readersThatWaitAtTheSameTimeAreServedByOneRead() {
        ConfigEntry a = store.put("a", "1");
        ConfigEntry b = store.put("b", "2");
        List<CompletableFuture<Optional<ConfigVersion>>> answers = List.of(load(a), load(b), load(a));
        runPool();

        assertThat(store.together).containsExactly(List.of(a, b));
        assertThat(store.singly).isEmpty();
        assertThat(answers.get(0).join().orElseThrow())
                .isSameAs(answers.get(2).join().orElseThrow());
        assertThat(answers.get(1).join().orElseThrow().utf8()).asString().isEqualTo("2");
        assertThat(view.resident(a)).isNotNull();

        // Another thread has read it since this reader has looked.
        assertThat(load(b)).isNotDone();
        runPool();
        assertThat(store.together).hasSize(1);
    }

    @Test
    void noMoreThreadsReadThanAreAllowed() {
        for (int i = 0; i < 10; i++) {
            load(store.put("c" + i, "1"));
        }

        assertThat(pool).hasSize(2);
    }

    @Test
    void aReadTakesNotMoreThanOneStatementReads() {
        for (int i = 0; i < 300; i++) {
            load(store.put("c" + i, "1"));
        }
        runPool();

        assertThat(store.together).extracting(List::size).startsWith(64, 64).allSatisfy(size -> assertThat(size)
                .isLessThanOrEqualTo(64));
        assertThat(store.together.stream().mapToInt(List::size).sum()).isEqualTo(300);
    }

    @Test
    void aThreadLeavesThreadsThatAreFreeTheirPart() {
        store.meanwhile = this::runPool;
        for (int i = 0; i < 50; i++) {
            load(store.put("c" + i, "1"));
        }
        runPool();

        assertThat(store.together)
                .as("the second thread reads while the first one does, and no third one is free")
                .extracting(List::size)
                .containsExactly(25, 25);
    }

    @Test
    void aThreadServesAllWhenTheOthersAreReading() {
        for (int i = 0; i < 20; i++) {
            load(store.put("a" + i, "1"));
        }
        store.meanwhile = () -> {
            store.meanwhile = () -> {};
            for (int i = 0; i < 40; i++) {
                load(store.put("b" + i, "1"));
            }
            runPool();
        };
        runPool();

        assertThat(store.together).extracting(List::size).containsExactly(16, 44);
    }

    @Test
    void fewReadersAreNotDivided() {
        for (int i = 0; i < 16; i++) {
            load(store.put("c" + i, "1"));
        }
        runPool();

        assertThat(store.together).extracting(List::size).containsExactly(16);
    }

    @Test
    void whatIsLeftOutIsReadSingly() {
        ConfigEntry large = store.put("large", "1");
        store.leftOut.add(large);
        CompletableFuture<Optional<ConfigVersion>> answer = load(large);
        runPool();

        assertThat(answer.join().orElseThrow().utf8()).asString().isEqualTo("1");
        assertThat(view.resident(large)).isNotNull();
    }

    @Test
    void aConfigurationThatHasChangedMeanwhileIsSelectedAgain() {
        ConfigEntry before = store.put("a", "1");
        CompletableFuture<Optional<ConfigVersion>> changed = load(before);
        ConfigEntry now = store.put("a", "2");
        ConfigEntry gone = store.put("b", "1");
        CompletableFuture<Optional<ConfigVersion>> removed = load(gone);
        store.present.remove(gone.key());
        runPool();

        assertThat(changed.join().orElseThrow().entry()).isEqualTo(now);
        assertThat(removed.join()).isEmpty();
    }

    @Test
    void allWhoWaitHearOfAFailureAndTheNextReaderIsServed() {
        ConfigEntry a = store.put("a", "1");
        store.failure = new CairnException(ErrorCode.UNAVAILABLE, "the database is away, for a test");
        List<CompletableFuture<Optional<ConfigVersion>>> answers = List.of(load(a), load(store.put("b", "2")));
        runPool();
        assertThat(answers)
                .allSatisfy(answer -> assertThatThrownBy(answer::join).hasCause(store.failure));

        store.failure = null;
        CompletableFuture<Optional<ConfigVersion>> later = load(a);
        runPool();
        assertThat(later.join()).isPresent();
    }

    @Test
    void moreReadersThanMayWaitAreRefused() {
        ConfigEntry a = store.put("a", "1");
        for (int i = 0; i < 300; i++) {
            assertThat(load(a)).isNotDone();
        }
        assertThatThrownBy(() -> load(a).join()).cause().isInstanceOfSatisfying(CairnException.class, e -> assertThat(
                        e.code())
                .isEqualTo(ErrorCode.BUSY));

        runPool();
        assertThat(load(a)).isNotDone();
    }

    @Test
    void aPoolThatTakesNothingRefusesTheReader() {
        ContentLoader closed = new ContentLoader(
                store,
                view,
                task -> {
                    throw new RejectedExecutionException("closed, for a test");
                },
                1,
                100);

        assertThatThrownBy(() -> closed.load(store.put("a", "1"), () -> null)
                        .toCompletableFuture()
                        .join())
                .cause()
                .isInstanceOfSatisfying(
                        CairnException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    }

    private static final class Stored implements ConfigStore {

        final Map<ConfigKey, ConfigEntry> present = new HashMap<>();
        final Map<ConfigKey, byte[]> contents = new HashMap<>();
        final List<List<ConfigEntry>> together = new ArrayList<>();
        final List<ConfigEntry> singly = new ArrayList<>();
        final List<ConfigEntry> leftOut = new ArrayList<>();

        /** Runs during each read. */
        Runnable meanwhile = () -> {};

        @Nullable
        CairnException failure;

        ConfigEntry put(String dataId, String content) {
            ConfigKey key = new ConfigKey(Namespace.DEFAULT, "g", dataId);
            byte[] utf8 = content.getBytes(StandardCharsets.UTF_8);
            ConfigEntry entry = new ConfigEntry(key, ContentDigest.of(utf8), ConfigType.TEXT, 1, "", null);
            present.put(key, entry);
            contents.put(key, utf8);
            return entry;
        }

        @Override
        public Map<ConfigEntry, ConfigVersion> loadTogether(Collection<ConfigEntry> entries) {
            together.add(List.copyOf(entries));
            meanwhile.run();
            if (failure != null) {
                throw failure;
            }
            Map<ConfigEntry, ConfigVersion> found = new HashMap<>();
            for (ConfigEntry each : entries) {
                if (each.equals(present.get(each.key())) && !leftOut.contains(each)) {
                    found.put(each, new ConfigVersion(each, contents.get(each.key())));
                }
            }
            return found;
        }

        @Override
        public Optional<ConfigVersion> load(ConfigEntry entry) {
            singly.add(entry);
            ConfigEntry now = present.get(entry.key());
            return now == null ? Optional.empty() : Optional.of(new ConfigVersion(now, contents.get(entry.key())));
        }

        @Override
        public CompletionStage<PublishResult> publish(PublishConfig command) {
            throw new UnsupportedOperationException("publish");
        }

        @Override
        public CompletionStage<Optional<ConfigChanged>> remove(RemoveConfig command) {
            throw new UnsupportedOperationException("remove");
        }

        @Override
        public void forEachEntry(Consumer<ConfigEntry> consumer) {
            present.values().forEach(consumer);
        }
    }
}
