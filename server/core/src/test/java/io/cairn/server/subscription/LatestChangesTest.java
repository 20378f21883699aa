package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LatestChangesTest {

    private final ChangeFeed feed = new ChangeFeed();
    private long now;
    private final LatestChanges changes = new LatestChanges(feed, () -> now);

    private static ConfigKey key(String dataId) {
        return new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", dataId);
    }

    private void change(String dataId, Optional<ContentDigest> before) {
        feed.announce(List.of(new ConfigChanged(key(dataId), 1, before, Optional.of(ContentDigest.of("content")))));
    }

    @Test
    void eachIsGivenOnceByItsLatestChange() {
        change("a", Optional.empty());
        now = 10;
        change("b", Optional.empty());
        now = 20;
        change("a", Optional.empty());

        assertThat(changes.since(0)).containsExactly(key("b"), key("a"));
        assertThat(changes.since(11)).containsExactly(key("a"));
        assertThat(changes.since(21)).isEmpty();
    }

    @Test
    void aPublishOfTheSameContentIsNoChange() {
        change("a", Optional.of(ContentDigest.of("content")));

        assertThat(changes.since(0)).isEmpty();
    }

    @Test
    void theEarliestAreForgotten() {
        for (int i = 0; i <= LatestChanges.MOST; i++) {
            change("config-" + i, Optional.empty());
        }

        assertThat(changes.since(0)).hasSize(LatestChanges.MOST).doesNotContain(key("config-0"));
    }
}
