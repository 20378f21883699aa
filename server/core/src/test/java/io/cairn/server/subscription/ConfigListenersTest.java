package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.GrayRule;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConfigListenersTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", "app.yaml");
    private static final String CHOSEN = "10.0.0.9";
    private static final String OTHER = "10.0.0.1";

    private final ConfigView view = new ConfigView(new ChangeFeed(), 1_000);
    private final Subscriptions<ConfigKey> subscriptions = new Subscriptions<>();
    private final ConfigListeners listeners = new ConfigListeners(
            new ConfigService(
                    null, view, new ConfigLimits(1_000, 1_000), new ContentLoader(null, view, Runnable::run, 1, 10)),
            subscriptions,
            new ConnectionRegistry(
                    new ConnectionSettings(Duration.ofHours(1), Duration.ofHours(1), 10),
                    10,
                    new PushBudget(1_000),
                    new RequestIds(),
                    new HandDrivenLoop(),
                    "127.0.0.1"));

    @Test
    void listenerWithAnotherOrNoVersionIsBehind() {
        stored(entry("new", null));

        assertThat(isBehind(new Listener(OTHER, "new", null))).isFalse();
        assertThat(isBehind(new Listener(OTHER, "old", null))).isTrue();
        assertThat(isBehind(new Listener(OTHER, null, null))).isTrue();
    }

    @Test
    void listenerWithContentOfARemovedConfigurationIsBehind() {
        stored();

        assertThat(isBehind(new Listener(OTHER, "old", null))).isTrue();
        assertThat(isBehind(new Listener(OTHER, null, null))).isFalse();
    }

    @Test
    void listenerOfAGrayReleaseIsBehindWithoutItsVersion() {
        stored(
                entry("formal", null),
                entry("beta", GrayRule.asked(CHOSEN, null).orElseThrow()),
                entry("canary", GrayRule.asked(null, "canary").orElseThrow()));

        assertThat(isBehind(new Listener(CHOSEN, "beta", null))).isFalse();
        assertThat(isBehind(new Listener(CHOSEN, "formal", null))).isTrue();
        assertThat(isBehind(new Listener(OTHER, "formal", null))).isFalse();
        assertThat(isBehind(new Listener(OTHER, "beta", null))).isTrue();
        assertThat(isBehind(new Listener(OTHER, "canary", "canary"))).isFalse();
        assertThat(isBehind(new Listener(OTHER, "formal", "canary"))).isTrue();
    }

    @Test
    void pollsAndClosedConnectionsAreNeverBehind() {
        stored(entry("new", null));
        Listener polling = new Listener(OTHER, "old", null);
        polling.connectionId = "";
        Listener gone = new Listener(OTHER, "old", null);
        gone.closed = true;
        Listener elsewhere = new Listener(OTHER, "old", null);
        elsewhere.watches = false;

        assertThat(isBehind(polling)).isFalse();
        assertThat(isBehind(gone)).isFalse();
        assertThat(isBehind(elsewhere)).isFalse();
    }

    private void stored(ConfigEntry... entries) {
        view.reload(consumer -> List.of(entries).forEach(consumer));
    }

    private static ConfigEntry entry(String content, @Nullable GrayRule gray) {
        return new ConfigEntry(KEY, ContentDigest.of(content), ConfigType.TEXT, 1, "", gray);
    }

    private boolean isBehind(Listener listener) {
        return listeners.isBehind(subscriptions.watch(KEY, listener), listener);
    }

    private static final class Listener implements Watcher {

        private final String address;
        private final @Nullable String content;
        private final @Nullable String tag;
        private String connectionId = "1";
        private boolean closed;
        private boolean watches = true;

        Listener(String address, @Nullable String content, @Nullable String tag) {
            this.address = address;
            this.content = content;
            this.tag = tag;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public void changed(WatchedKey<?> watched, Push push) {
            throw new AssertionError("nothing is pushed here");
        }

        @Override
        public @Nullable Holding holding(WatchedKey<?> watched) {
            return watches
                    ? new Holding(
                            new GrayClient(address, tag),
                            connectionId,
                            "",
                            content == null ? null : ContentDigest.of(content))
                    : null;
        }
    }
}
