package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigListener;
import io.cairn.client.config.ConfigView;
import io.cairn.client.config.ConfigWatch;
import io.cairn.client.config.PatternListener;
import io.cairn.client.config.PatternWatch;
import io.cairn.client.connection.Origin;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Configurations through the client, against a server. */
class ConfigsIT {

    @RegisterExtension
    static final TestedServer SERVER = new TestedServer();

    private static CairnClient writer;
    private static CairnClient reader;

    @BeforeAll
    static void connect() {
        writer = SERVER.newClient();
        reader = SERVER.newClient();
    }

    @AfterAll
    static void disconnect() {
        writer.close();
        reader.close();
    }

    private static ConfigKey key(String dataId) {
        return writer.configs().key(SERVER.unique(dataId));
    }

    @Test
    void readsThePublishedContent() {
        assertThat(reader.configs().get(key("none"))).isEmpty();

        writer.configs().publish(key("plain"), "a: 1\n\"ä€😀\"", ConfigType.YAML);

        SERVER.shows(() -> assertThat(reader.configs().get(key("plain"))).isPresent());
        ConfigContent content = reader.configs().get(key("plain")).orElseThrow();
        assertThat(content.text()).isEqualTo("a: 1\n\"ä€😀\"");
        assertThat(content.type()).isEqualTo(ConfigType.YAML);
        assertThat(content.origin()).isEqualTo(Origin.SERVER);
        assertThat(content.digest()).isEqualTo(ContentDigest.of(content.text()));

        writer.configs().delete(key("plain"));
        SERVER.shows(() -> assertThat(reader.configs().get(key("plain"))).isEmpty());
    }

    @Test
    void refusesACompareAndSetWithAnotherDigest() {
        ConfigKey key = key("cas");
        writer.configs().publish(key, "one");

        boolean stored = writer.configs().publishIf(key, "two", ConfigType.TEXT, ContentDigest.of("zero"));
        // Nacos 2.2 does not compare on its embedded database.
        assumeThat(stored && !SERVER.isOwn()).isFalse();
        assertThat(stored).isFalse();
        assertThat(writer.configs().publishIf(key, "two", ConfigType.TEXT, ContentDigest.of("one")))
                .isTrue();
        SERVER.shows(() ->
                assertThat(reader.configs().get(key)).map(ConfigContent::text).contains("two"));
    }

    @Test
    void oneOfSeveralCreatorsSucceeds() {
        ConfigKey key = key("created.yaml");
        assertThat(writer.configs().publishIfAbsent(key, "first: 1", ConfigType.YAML))
                .isTrue();
        // On some servers a read is not up to date at once; the comparison is.
        boolean stored = reader.configs().publishIfAbsent(key, "second: 2", ConfigType.YAML);
        assumeThat(stored && !SERVER.isOwn()).isFalse();
        assertThat(stored).isFalse();
        SERVER.shows(() ->
                assertThat(reader.configs().get(key)).map(ConfigContent::text).contains("first: 1"));
    }

    @Test
    void explainsAWrongPortInOneLine() {
        ClientBuilder wrong = SERVER.builder().grpcPortOffset(0).failFast(Duration.ofSeconds(5));
        assertThatThrownBy(wrong::build)
                .hasMessageContaining("speaking HTTP/2 failed")
                .hasMessageContaining("check that the HTTP port is configured (not the gRPC port)")
                .hasMessageNotContaining("\n");
    }

    @Test
    void derivesTheTypeFromTheDataId() {
        ConfigKey key = key("typed.yaml");
        writer.configs().publish(key, "a: 1");
        SERVER.shows(() ->
                assertThat(reader.configs().get(key)).map(ConfigContent::type).contains(ConfigType.YAML));
    }

    @Test
    void aWatchReportsTheContentEachChangeAndTheDeletion() {
        ConfigKey key = key("watched");
        List<String> told = new CopyOnWriteArrayList<>();
        try (ConfigWatch watch = reader.configs().watch(key, recorder(told))) {
            await().until(() -> told, List.of("-")::equals);
            writer.configs().publish(key, "one");
            await().until(() -> told, List.of("-", "one")::equals);
            writer.configs().publish(key, "two");
            await().until(() -> told, List.of("-", "one", "two")::equals);
            assertThat(watch.current()).map(ConfigContent::text).contains("two");

            List<String> later = new CopyOnWriteArrayList<>();
            try (ConfigWatch second = reader.configs().watch(key, recorder(later))) {
                await().until(() -> later, List.of("two")::equals);
                writer.configs().delete(key);
                await().until(() -> told, List.of("-", "one", "two", "-")::equals);
                await().until(() -> later, List.of("two", "-")::equals);
                assertThat(second.current()).isEmpty();
            }
        }
        assertThat(reader.configs().watched()).isZero();
    }

    private static ConfigListener recorder(List<String> told) {
        return new ConfigListener() {
            @Override
            public void onContent(ConfigContent content) {
                told.add(content.text());
            }

            @Override
            public void onAbsent(ConfigKey absent) {
                told.add("-");
            }
        };
    }

    @Test
    void aListenerThatThrowsGetsTheNextChangeAndDisturbsNoOther() {
        ConfigKey key = key("throws");
        List<String> told = new CopyOnWriteArrayList<>();
        List<String> seenByThrower = new CopyOnWriteArrayList<>();
        writer.configs().publish(key, "one");
        try (ConfigWatch bad = reader.configs().watch(key, content -> {
                    seenByThrower.add(content.text());
                    throw new IllegalStateException("meant to fail");
                });
                ConfigWatch good = reader.configs().watch(key, content -> told.add(content.text()))) {
            await().until(() -> told, List.of("one")::equals);
            writer.configs().publish(key, "two");
            await().until(() -> told, List.of("one", "two")::equals);
            await().until(() -> seenByThrower, List.of("one", "two")::equals);
            assertThat(bad.current()).isEqualTo(good.current());
        }
    }

    @Test
    void callsAListenerOnItsExecutor() throws Exception {
        ConfigKey key = key("executor");
        writer.configs().publish(key, "one");
        List<String> threads = new CopyOnWriteArrayList<>();
        ExecutorService own = Executors.newSingleThreadExecutor(task -> new Thread(task, "own-thread"));
        try (ConfigWatch onOwn = reader.configs()
                        .watch(
                                key,
                                content -> threads.add(Thread.currentThread().getName()),
                                own);
                ConfigWatch onClients = reader.configs()
                        .watch(
                                key,
                                content -> threads.add(Thread.currentThread().getName()))) {
            await().until(() -> threads.size() == 2);
            assertThat(threads).contains("own-thread").anyMatch(name -> name.contains("-callback-"));
            assertThat(onOwn.key()).isEqualTo(onClients.key());
        } finally {
            own.shutdownNow();
        }
    }

    /** Settings that a test reads as a record. */
    record Limits(int maxOrders, Duration patience, List<String> regions) {}

    @Test
    void aViewFollowsTheConfigurationAndKeepsItsValueWhenTheNextIsInvalid() {
        ConfigKey key = key("limits.yaml");
        writer.configs().publish(key, "max-orders: 5\npatience: 3s\nregions: [eu, us]\n", ConfigType.YAML);
        SERVER.shows(() -> assertThat(reader.configs().get(key)).isPresent());
        try (ConfigView<Limits> view = reader.configs().view(key, Limits.class)) {
            assertThat(view.get()).isEqualTo(new Limits(5, Duration.ofSeconds(3), List.of("eu", "us")));

            writer.configs().publish(key, "max-orders: many\npatience: 3s\n", ConfigType.YAML);
            await().until(() -> view.problem().isPresent());
            assertThat(view.problem().orElseThrow()).hasMessageContaining("maxOrders: 'many'");
            assertThat(view.get().maxOrders()).isEqualTo(5);

            writer.configs().publish(key, "{\"maxOrders\": 7, \"patience\": \"PT1S\"}", ConfigType.JSON);
            await().until(() -> view.get().maxOrders() == 7);
            await().until(() -> view.problem().isEmpty());
        }
    }

    @Test
    void aPatternReportsMatchesAdditionsAndRemovals() throws Exception {
        String group = SERVER.unique("PATTERN");
        writer.configs().publish(writer.configs().key(group, "app-one"), "1");
        SERVER.shows(() -> assertThat(reader.configs().get(reader.configs().key(group, "app-one")))
                .isPresent());
        List<String> told = new CopyOnWriteArrayList<>();
        PatternListener recorder = new PatternListener() {
            @Override
            public void onAdded(ConfigKey added) {
                told.add("+" + added.dataId());
            }

            @Override
            public void onRemoved(ConfigKey removed) {
                told.add("-" + removed.dataId());
            }
        };
        try (PatternWatch watch = reader.configs().watchPattern(group, "app-*", recorder)) {
            if (!SERVER.isOwn() && refusesPatterns(watch)) {
                return;
            }
            assertThat(watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasSize(1);
            writer.configs().publish(writer.configs().key(group, "app-two"), "2");
            writer.configs().publish(writer.configs().key(group, "other"), "3");
            await().until(() -> told, List.of("+app-one", "+app-two")::equals);
            writer.configs().delete(writer.configs().key(group, "app-one"));
            await().until(() -> told, List.of("+app-one", "+app-two", "-app-one")::equals);
            assertThat(watch.keys()).containsExactly(reader.configs().key(group, "app-two"));
        }
    }

    /** Nacos 2.x refuses them. */
    private static boolean refusesPatterns(PatternWatch watch) throws Exception {
        String said = watch.known()
                .handle((keys, failure) -> String.valueOf(failure))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return said.contains("does not offer watching by pattern");
    }

    @Test
    void fiveHundredWatchesShareOneConnectionAndAtMostSixThreads() throws Exception {
        try (CairnClient many = SERVER.builder().name("many").build()) {
            List<ConfigWatch> watches = new CopyOnWriteArrayList<>();
            List<String> told = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 500; i++) {
                watches.add(many.configs().watch(key("many-" + i), content -> told.add(content.text())));
            }
            CompletableFuture<?>[] known =
                    watches.stream().map(ConfigWatch::known).toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(known).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            writer.configs().publish(key("many-499"), "changed");
            await().until(() -> told, List.of("changed")::equals);

            List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("many"))
                    .toList();
            assertThat(threads).hasSizeBetween(1, 6).allMatch(Thread::isDaemon);
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().contains("OkHttp"));
        }
    }
}
