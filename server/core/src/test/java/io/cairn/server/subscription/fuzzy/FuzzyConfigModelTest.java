package io.cairn.server.subscription.fuzzy;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.wire.config.GroupKey;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.subscription.FuzzyConfigNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random publishes and deletes, while watchers connect, lag, disconnect and reconnect with old names. In the end each
 * watcher knows the same names as a simple set.
 */
class FuzzyConfigModelTest {

    private static final List<String> NAMESPACES = List.of("public", "dev");
    private static final List<String> GROUPS = List.of("A", "AB", "B+%");
    private static final List<String> DATA_IDS = List.of("x", "x.yaml", "app-x", "app+y", "50%", "app-x.yaml", "*");
    private static final List<String> PATTERNS = List.of("*", "x*", "*x", "*p*", "app+y", "*%", "A*", "A", "*.yaml");

    private final Set<ConfigKey> model = new HashSet<>();
    private final Map<ConfigKey, ContentDigest> digests = new HashMap<>();
    private final ChangeFeed feed = new ChangeFeed();
    private final ConfigView view = new ConfigView(feed, 1 << 20);
    private final FuzzyWatches<ConfigKey> watches =
            new FuzzyWatches<>(new FuzzyConfigNames(view), new TestMessages(), new FuzzyLimits(1_000, 1_000));

    private Random random = new Random();

    private final class Client {

        private final TestWatcher watcher = new TestWatcher();
        private final Set<String> knownBefore;
        private final FuzzyPattern pattern;

        Client(Set<String> knownBefore) {
            this.knownBefore = knownBefore;
            pattern = new FuzzyPattern(Namespace.ofNullable(any(NAMESPACES)), any(PATTERNS), any(PATTERNS));
            watch();
        }

        void watch() {
            assertThat(watches.watch(
                            pattern.toString(),
                            pattern,
                            ReadScope.ALL,
                            watcher.connection(),
                            known(),
                            random.nextBoolean()))
                    .isEqualTo(FuzzyOutcome.WATCHING);
        }

        /** The names that it knew before, changed by the messages since. */
        Set<String> known() {
            Set<String> known = new TreeSet<>(knownBefore);
            known.removeAll(watcher.toldGone());
            known.addAll(watcher.known());
            return known;
        }

        Set<String> expected() {
            return model.stream()
                    .filter(key -> pattern.matches(key.namespace(), key.group(), key.dataId()))
                    .map(GroupKey::spelled)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyWatcherEndsWithTheMatchingNames(long seed) {
        random = new Random(seed);
        feed.follow(change -> {
            if (change.before().isPresent() != change.now().isPresent()) {
                watches.changed(change.key());
            }
        });
        List<Client> clients = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            int what = random.nextInt(100);
            if (what < 70) {
                change();
            } else if (what < 76 && clients.size() < 8) {
                clients.add(new Client(Set.of()));
            } else if (!clients.isEmpty()) {
                Client client = any(clients);
                if (what < 80) {
                    clients.remove(client);
                    watches.closed(client.watcher.connection());
                    client.watcher.close();
                    // The names may be from another pattern; those that do not match the new one are surplus.
                    clients.add(new Client(client.known()));
                } else if (what < 84) {
                    client.watch();
                } else {
                    client.watcher.takeAll();
                }
            }
        }
        for (Client client : clients) {
            client.watcher.takeAll();
            assertThat(client.known()).as(client.pattern.toString()).isEqualTo(client.expected());
            client.watcher.close();
        }
        assertThat(clients).isNotEmpty();
    }

    private void change() {
        ConfigKey key = new ConfigKey(Namespace.ofNullable(any(NAMESPACES)), any(GROUPS), any(DATA_IDS));
        GrayRule gray = random.nextInt(5) == 0 ? GrayRule.asked("1.1.1.1", null).orElseThrow() : null;
        if (random.nextBoolean()) {
            byte[] content = Integer.toString(random.nextInt(3)).getBytes(StandardCharsets.UTF_8);
            ContentDigest digest = ContentDigest.of(content);
            ConfigEntry entry = new ConfigEntry(key, digest, ConfigType.TEXT, 0, "", gray);
            PublishConfig command = new PublishConfig(
                    key, content, digest, null, ConfigAttributes.ofType(ConfigType.TEXT), gray, new Author(null, null));
            ConfigChanged change = new ConfigChanged(key, 1, before(key, gray), Optional.of(digest));
            if (gray == null) {
                model.add(key);
                digests.put(key, digest);
            }
            view.published(command, entry, change);
            view.announce(change);
        } else {
            ConfigChanged change = new ConfigChanged(key, 1, before(key, gray), Optional.empty());
            if (gray == null) {
                model.remove(key);
                digests.remove(key);
            }
            view.removed(new RemoveConfig(key, gray == null ? null : gray.name(), new Author(null, null)), change);
            view.announce(change);
        }
    }

    /**
     * The test does not track gray releases; adding or removing one must not be taken for a change of the
     * configuration.
     */
    private Optional<ContentDigest> before(ConfigKey key, @Nullable GrayRule gray) {
        return gray == null
                ? Optional.ofNullable(digests.get(key))
                : random.nextBoolean() ? Optional.empty() : Optional.of(ContentDigest.of(new byte[] {1}));
    }
}
