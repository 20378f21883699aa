package io.cairn.client.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.Namespace;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ConfigViewTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, ConfigKey.DEFAULT_GROUP, "a");

    private static ConfigContent content(String text) {
        return ConfigContent.fetched(KEY, text, ConfigType.TEXT, Instant.EPOCH);
    }

    private static ConfigWatch watch(CompletableFuture<Optional<ConfigContent>> known) {
        return new ConfigWatch() {
            @Override
            public ConfigKey key() {
                return KEY;
            }

            @Override
            public Optional<ConfigContent> current() {
                return Optional.empty();
            }

            @Override
            public CompletableFuture<Optional<ConfigContent>> known() {
                return known;
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void theFirstContentDoesNotReplaceALaterOne() {
        try (ConfigView<String> view = new ConfigView<>(KEY, ConfigContent::text, value -> {})) {
            view.take(content("1"));
            view.take(content("2"));
            view.attach(watch(CompletableFuture.completedFuture(Optional.of(content("1")))));
            assertThat(view.get()).isEqualTo("2");
            assertThat(view.first()).isCompleted();
        }
    }

    @Test
    void readsTheFirstContentBeforeItNotifies() {
        try (ConfigView<String> view = new ConfigView<>(KEY, ConfigContent::text, value -> {})) {
            view.attach(watch(CompletableFuture.completedFuture(Optional.of(content("1")))));
            assertThat(view.get()).isEqualTo("1");
        }
    }
}
