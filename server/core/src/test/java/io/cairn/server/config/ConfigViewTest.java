package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.gray.GrayClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConfigViewTest {

    private final ChangeFeed feed = new ChangeFeed();
    private final List<ConfigChanged> heard = new ArrayList<>();
    private final ConfigView view = new ConfigView(feed, 1 << 20);

    ConfigViewTest() {
        feed.follow(heard::add);
    }

    @Test
    void showsPublishedEntryWithItsContent() {
        ConfigEntry entry = publish("a", "1", 1);

        assertThat(view.entry(key("a"))).isSameAs(entry);
        assertThat(view.resident(entry).utf8()).asString().isEqualTo("1");
        assertThat(view.size()).isEqualTo(1);
    }

    @Test
    void theContentOfAnEarlierVersionIsGivenUp() {
        ConfigEntry first = publish("a", "1", 1);
        ConfigEntry second = publish("a", "2", 2);

        assertThat(view.resident(first)).isNull();
        assertThat(view.resident(second)).isNotNull();

        view.removed(new RemoveConfig(key("a"), null, by()), change("a", 3));
        assertThat(view.entry(key("a"))).isNull();
        assertThat(view.resident(second)).isNull();
        assertThat(view.size()).isZero();
    }

    @Test
    void contentsAreKeptWithinTheirWeightAndEntriesAlways() {
        String content = "x".repeat(50_000);
        List<ConfigEntry> entries = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            entries.add(publish("c" + i, i + content, i));
        }

        assertThat(view.size()).isEqualTo(50);
        long resident =
                entries.stream().filter(entry -> view.resident(entry) != null).count();
        assertThat(resident)
                .as("contents of 50 KB and two answers each in a mebibyte")
                .isBetween(1L, 7L);
    }

    @Test
    void anAnnouncementIsMadeOnlyForAnotherContent() {
        ContentDigest one = ContentDigest.of("1");
        view.announce(new ConfigChanged(key("a"), 1, Optional.of(one), Optional.of(one)));
        assertThat(heard).isEmpty();

        view.announce(new ConfigChanged(key("a"), 2, Optional.of(one), Optional.empty()));
        assertThat(heard).extracting(ConfigChanged::revision).containsExactly(2L);
    }

    @Test
    void reloadAnnouncesOnlyDifferences() {
        ConfigEntry same = publish("same", "1", 1);
        publish("changed", "1", 2);
        publish("gone", "1", 3);
        ConfigEntry changed = entry("changed", "2", 9, null);
        ConfigEntry added = entry("added", "1", 9, null);

        view.reload(consumer -> List.of(same, changed, added).forEach(consumer));

        assertThat(heard)
                .containsExactlyInAnyOrder(
                        found("changed", ContentDigest.of("1"), ContentDigest.of("2")),
                        found("gone", ContentDigest.of("1"), null),
                        found("added", null, ContentDigest.of("1")));
        assertThat(view.entry(key("changed"))).isEqualTo(changed);
        assertThat(view.entry(key("added"))).isEqualTo(added);
        assertThat(view.entry(key("gone"))).isNull();
        assertThat(view.resident(same)).as("what is the same stays in memory").isNotNull();
        assertThat(view.size()).isEqualTo(3);
    }

    @Test
    void aRowThatWasTouchedWithoutANewContentIsTakenOverSilently() {
        publish("a", "1", 1);
        ConfigEntry touched = entry("a", "1", 99, null);

        view.reload(consumer -> consumer.accept(touched));

        assertThat(view.entry(key("a"))).isEqualTo(touched);
        assertThat(heard).isEmpty();
    }

    @Test
    void reloadFindsGrayReleases() {
        GrayRule beta = GrayRule.asked("10.0.0.9", null).orElseThrow();
        GrayClient meant = new GrayClient("10.0.0.9", null);
        publish("a", "1", 1);
        ConfigEntry formal = view.entry(key("a"));

        view.reload(consumer -> List.of(formal, entry("a", "gray", 2, beta)).forEach(consumer));
        assertThat(view.grayEntry(key("a"), meant).digest()).isEqualTo(ContentDigest.of("gray"));
        assertThat(heard).extracting(ConfigChanged::key).containsExactly(key("a"));

        view.reload(consumer -> List.of(formal, entry("a", "gray", 2, beta)).forEach(consumer));
        assertThat(heard).hasSize(1);

        view.reload(consumer -> consumer.accept(formal));
        assertThat(view.grayEntry(key("a"), meant)).isNull();
        assertThat(heard).hasSize(2);
    }

    private ConfigEntry publish(String dataId, String content, long modifiedMillis) {
        ConfigEntry entry = entry(dataId, content, modifiedMillis, null);
        PublishConfig command = new PublishConfig(
                entry.key(),
                content.getBytes(StandardCharsets.UTF_8),
                entry.digest(),
                null,
                ConfigAttributes.ofType(ConfigType.TEXT),
                null,
                by());
        view.published(command, entry, change(dataId, modifiedMillis));
        return entry;
    }

    private static ConfigEntry entry(String dataId, String content, long modifiedMillis, GrayRule gray) {
        return new ConfigEntry(key(dataId), ContentDigest.of(content), ConfigType.TEXT, modifiedMillis, "", gray);
    }

    private static ConfigChanged change(String dataId, long revision) {
        return new ConfigChanged(key(dataId), revision, Optional.empty(), Optional.empty());
    }

    private static ConfigChanged found(String dataId, ContentDigest before, ContentDigest now) {
        return new ConfigChanged(
                key(dataId), ConfigChanged.UNKNOWN_REVISION, Optional.ofNullable(before), Optional.ofNullable(now));
    }

    private static ConfigKey key(String dataId) {
        return new ConfigKey(Namespace.DEFAULT, ConfigKey.DEFAULT_GROUP, dataId);
    }

    private static Author by() {
        return new Author(null, null);
    }
}
