package io.cairn.server.http.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.http.config.ReleasePreview.Preview;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.testing.HandDrivenLoop;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReleasePreviewTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "G", "a.yaml");
    private static final int CLIENTS = 10_000;

    private final ConfigView view = new ConfigView(new ChangeFeed(), 1 << 20);
    private final ConfigService configs = new ConfigService(
            null, view, new ConfigLimits(1_000, 10_000), new ContentLoader(null, view, Runnable::run, 1, 10));
    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofDays(1), Duration.ofSeconds(5), CLIENTS),
            10,
            new PushBudget(1_000_000),
            new RequestIds(),
            loop,
            "127.0.0.1");
    private final Subscriptions<ConfigKey> subscriptions = new Subscriptions<>();
    private final ReleasePreview preview = new ReleasePreview(
            "127.0.0.1:8848",
            new ConfigListeners(configs, subscriptions, registry),
            configs,
            key -> List.of(),
            ClusterReads.OF_SINGLE_SERVER,
            new ReadPool(Runnable::run));

    private void connect() {
        for (int i = 0; i < CLIENTS; i++) {
            ClientConnection connection = new ClientConnection(
                    i + "_10.0.0.1_" + i,
                    new ClientIdentity(
                            "10.0." + i / 250 + "." + i % 250,
                            "Nacos-Java-Client:v2.5.1",
                            "",
                            Map.of("AppName", "orders", "app_zone", "zone-" + i % 10, "app_version", "1." + i % 7)),
                    FakeTransport.unused(loop),
                    registry);
            assertThat(registry.register(connection)).isTrue();
            WatchedKey<ConfigKey> watched = subscriptions.watch(KEY, connection);
            connection.watches().add(watched, 0);
        }
    }

    private void publish(GrayRule rule) {
        ContentDigest digest = ContentDigest.of(rule.name());
        view.published(
                new PublishConfig(
                        KEY,
                        rule.name().getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        digest,
                        null,
                        ConfigAttributes.ofType(ConfigType.TEXT),
                        rule,
                        new Author(null, null)),
                new ConfigEntry(KEY, digest, ConfigType.TEXT, 0, "", rule),
                new ConfigChanged(KEY, 1, Optional.empty(), Optional.of(digest)));
    }

    private Preview of(GrayRule rule) {
        return preview.of(KEY, rule).toCompletableFuture().join().rows().get(0);
    }

    /** The bar is a second of CPU. The other releases have higher priorities, so all of them are compared. */
    @Test
    void tenThousandClientsAndTenReleasesAreComparedWithinASecondOfCpu() {
        connect();
        for (int i = 0; i < 9; i++) {
            publish(
                    i % 2 == 0
                            ? GrayRule.named("share-" + i, "percentage", null, "1", 10 + i)
                            : GrayRule.named(
                                    "labels-" + i,
                                    "label",
                                    null,
                                    "zone in (zone-" + i + ", b, c) && version != 1." + i % 7 + " || AppName = x",
                                    10 + i));
        }
        GrayRule quarter = GrayRule.named("quarter", "percentage", null, "25", 0);
        GrayRule everybody = GrayRule.named("everybody", "label", null, "AppName = orders", 0);

        Preview share = of(quarter);
        assertThat(share.listeners()).isEqualTo(CLIENTS);
        assertThat(share.selected()).isBetween(CLIENTS / 5, CLIENTS * 3 / 10);
        assertThat(share.gets()).isLessThan(share.selected());
        long began = cpuNanos();
        Preview all = of(everybody);
        Duration spent = Duration.ofNanos(cpuNanos() - began);

        assertThat(all.selected()).isEqualTo(CLIENTS);
        assertThat(spent).isLessThan(Duration.ofSeconds(1));
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
