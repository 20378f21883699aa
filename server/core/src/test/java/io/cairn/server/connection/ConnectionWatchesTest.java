package io.cairn.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.push.Push;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionWatchesTest {

    private final ConnectionWatches set = new ConnectionWatches();
    private final List<WatchedKey<String>> keys = new ArrayList<>();

    ConnectionWatchesTest() {
        Subscriptions<String> subscriptions = new Subscriptions<>();
        for (int i = 0; i < 300; i++) {
            keys.add(subscriptions.watch("k" + i, new Nobody()));
        }
    }

    @Test
    void unwatchedKeyHasNoVariant() {
        set.add(keys.get(1), 1);

        assertThat(set.variant(keys.get(0))).isEqualTo(-1);
        assertThat(set.variant(keys.get(2))).isEqualTo(-1);
        assertThat(set.changeVariant(keys.get(0), 1)).isFalse();
        assertThat(set.remove(keys.get(2))).isFalse();
        assertThat(set.size()).isOne();
    }

    /** Beside a map that does the same in the plainest way. */
    @Test
    void keepsTheDigestOfEachKeyOverRandomChanges() {
        Random random = new Random(11);
        Map<WatchedKey<String>, ContentDigest> model = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            WatchedKey<String> key = keys.get(random.nextInt(keys.size()));
            switch (random.nextInt(4)) {
                case 0 -> {
                    if (!model.containsKey(key)) {
                        set.add(key, 0);
                        model.put(key, null);
                    }
                }
                case 1 -> {
                    set.remove(key);
                    model.remove(key);
                }
                case 2 -> set.trim();
                default -> {
                    ContentDigest digest = random.nextInt(3) == 0 ? null : new ContentDigest(step, step);
                    boolean isOther = model.containsKey(key) && !Objects.equals(model.get(key), digest);
                    assertThat(set.holds(key, digest)).isEqualTo(isOther);
                    model.replace(key, digest);
                }
            }
            assertThat(set.held(key)).isEqualTo(model.get(key));
        }
        for (WatchedKey<String> key : keys) {
            assertThat(set.held(key)).isEqualTo(model.get(key));
        }
        assertThat(model.values()).filteredOn(Objects::nonNull).isNotEmpty();
        set.clear(key -> {});
        assertThat(keys).allSatisfy(key -> assertThat(set.held(key)).isNull());
    }

    @Test
    void clearHandsOutEachKeyOnceAndLeavesNothing() {
        set.reserve(100);
        for (int i = 50; i > 0; i--) {
            set.add(keys.get(i), 0);
        }
        List<WatchedKey<?>> handed = new ArrayList<>();

        set.clear(handed::add);

        assertThat(handed).containsExactlyInAnyOrderElementsOf(keys.subList(1, 51));
        assertThat(set.size()).isZero();
        set.clear(key -> {
            throw new AssertionError(key.key() + " is handed out twice");
        });
        set.add(keys.get(7), 1);
        assertThat(set.variant(keys.get(7))).isOne();
    }

    @Test
    void consumerOfClearMayAddAgain() {
        set.add(keys.get(1), 0);

        set.clear(key -> set.add(keys.get(2), 1));

        assertThat(set.size()).isOne();
        assertThat(set.variant(keys.get(2))).isOne();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void behavesLikeAMapFromKeyToVariant(long seed) {
        Random random = new Random(seed);
        Map<WatchedKey<String>, Integer> model = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            WatchedKey<String> key = keys.get(random.nextInt(keys.size()));
            int variant = random.nextInt(2);
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3, 4 -> {
                    if (model.put(key, variant) == null) {
                        set.add(key, variant);
                    } else {
                        assertThat(set.changeVariant(key, variant)).isTrue();
                    }
                }
                case 5, 6, 7, 8 -> assertThat(set.remove(key)).isEqualTo(model.remove(key) != null);
                case 9 -> set.reserve(random.nextInt(50));
                case 10 -> set.trim();
                default -> {
                    if (random.nextInt(200) == 0) {
                        Map<WatchedKey<?>, Boolean> handed = new HashMap<>();
                        set.clear(each -> assertThat(handed.put(each, true)).isNull());
                        assertThat(handed.keySet()).isEqualTo(model.keySet());
                        model.clear();
                    }
                }
            }
            assertThat(set.size()).isEqualTo(model.size());
            assertThat(set.variant(key)).isEqualTo(model.getOrDefault(key, -1));
            assertThat(key.inFirstVariant()).isEqualTo(model.getOrDefault(key, -1) == 0 ? 1 : 0);
        }
        for (WatchedKey<String> key : keys) {
            assertThat(set.variant(key)).isEqualTo(model.getOrDefault(key, -1));
        }
    }

    private static final class Nobody implements Watcher {

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public void changed(WatchedKey<?> watched, Push push) {
            throw new AssertionError("nothing changes here");
        }
    }
}
