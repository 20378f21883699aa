package io.cairn.server.config;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.gray.GrayClient;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state in memory for reads: an entry for every configuration, and a bounded cache of contents. Only the writer's thread
 * changes it, in commit order; reads are lock-free.
 */
public final class ConfigView implements ConfigStore.CommitObserver {

    private final ChangeFeed feed;
    private final ConcurrentHashMap<ConfigKey, ConfigEntry> entries = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<ConfigKey, GrayReleases> grays = new ConcurrentHashMap<>();
    private final Cache<ConfigEntry, ConfigVersion> contents;
    private final List<Consumer<ConfigKey>> followers = new CopyOnWriteArrayList<>();

    /** @param maxContentBytes of all contents and encoded responses in memory */
    public ConfigView(ChangeFeed feed, long maxContentBytes) {
        this.feed = feed;
        this.contents = Caffeine.newBuilder()
                .maximumWeight(maxContentBytes)
                .weigher((ConfigEntry entry, ConfigVersion version) ->
                        (int) Math.min(Integer.MAX_VALUE, version.weight()))
                .executor(Runnable::run)
                .recordStats()
                .build();
    }

    /**
     * Adds a follower of every added, changed or removed configuration, also for a new type or time, after the change is visible.
     * It runs on the changing thread; it must be quick and must not throw.
     */
    public void onChange(Consumer<ConfigKey> follower) {
        followers.add(follower);
    }

    private void changed(ConfigKey key) {
        for (Consumer<ConfigKey> follower : followers) {
            follower.accept(key);
        }
    }

    public List<ConfigEntry> grayEntries(ConfigKey key) {
        GrayReleases releases = grays.get(key);
        return releases == null ? List.of() : releases.all();
    }

    /** Concurrent changes may or may not be seen. */
    public void forEachGray(Consumer<ConfigEntry> consumer) {
        grays.values().forEach(releases -> releases.all().forEach(consumer));
    }

    /** When the oldest gray release was last published, in epoch milliseconds, or 0. */
    public long oldestGrayMillis() {
        long[] oldest = {0};
        forEachGray(release -> oldest[0] =
                oldest[0] == 0 ? release.lastModifiedMillis() : Math.min(oldest[0], release.lastModifiedMillis()));
        return oldest[0];
    }

    /** Highest priority first. */
    public List<String> grayNames(ConfigKey key) {
        GrayReleases releases = grays.get(key);
        return releases == null ? List.of() : releases.names();
    }

    /** Or null. */
    public @Nullable ConfigEntry entry(ConfigKey key) {
        return entries.get(key);
    }

    /** The client's gray release, or null. */
    public @Nullable ConfigEntry grayEntry(ConfigKey key, GrayClient client) {
        if (grays.isEmpty()) {
            return null;
        }
        GrayReleases releases = grays.get(key);
        return releases == null ? null : releases.match(client);
    }

    boolean wouldGet(ConfigKey key, GrayRule rule, GrayClient client) {
        if (!rule.matches(key, client)) {
            return false;
        }
        for (ConfigEntry other : grayEntries(key)) {
            GrayRule before = other.gray();
            if (before != null
                    && !before.name().equals(rule.name())
                    && GrayReleases.isBefore(before, rule)
                    && before.matches(key, client)) {
                return false;
            }
        }
        return true;
    }

    /** The version, or null without its content in memory. */
    public @Nullable ConfigVersion resident(ConfigEntry entry) {
        return contents.getIfPresent(entry);
    }

    /** As {@link #resident}, without a count of hit or miss, for repeated checks. */
    @Nullable
    ConfigVersion residentMeanwhile(ConfigEntry entry) {
        return contents.policy().getIfPresentQuietly(entry);
    }

    /** Reads with the content in memory. */
    public long hits() {
        return contents.stats().hitCount();
    }

    /** Reads without the content in memory. */
    public long misses() {
        return contents.stats().missCount();
    }

    /** The weight of contents in memory with their possible answers. */
    public long contentBytes() {
        return contents.policy()
                .eviction()
                .map(eviction -> eviction.weightedSize().orElse(0))
                .orElse(0L);
    }

    /** Caches a loaded version. */
    void keep(ConfigVersion version) {
        contents.put(version.entry(), version);
    }

    public int size() {
        return entries.size();
    }

    /** Concurrent changes may or may not be seen. */
    public void forEach(Consumer<ConfigEntry> consumer) {
        entries.values().forEach(consumer);
    }

    @Override
    public void published(PublishConfig command, ConfigEntry entry, ConfigChanged change) {
        contents.put(entry, new ConfigVersion(entry, command.utf8()));
        ConfigEntry before;
        if (entry.gray() == null) {
            before = entries.put(entry.key(), entry);
            typeGrays(entry.key(), entry.type());
        } else {
            GrayReleases others = grays.get(entry.key());
            before = others == null ? null : others.named(entry.gray().name());
            grays.put(entry.key(), GrayReleases.with(others, entry));
        }
        if (before != null && !before.equals(entry)) {
            contents.invalidate(before);
        }
        changed(entry.key());
    }

    @Override
    public void removed(RemoveConfig command, ConfigChanged change) {
        String grayName = command.grayName();
        ConfigEntry before;
        if (grayName == null) {
            before = entries.remove(change.key());
            typeGrays(change.key(), ConfigType.TEXT);
        } else {
            GrayReleases releases = grays.get(change.key());
            before = releases == null ? null : releases.named(grayName);
            grays.computeIfPresent(change.key(), (key, present) -> present.without(grayName));
        }
        if (before != null) {
            contents.invalidate(before);
        }
        changed(change.key());
    }

    /** Gray releases are stored without a type: they have that of the configuration, or text. */
    private void typeGrays(ConfigKey key, ConfigType type) {
        GrayReleases before = grays.get(key);
        if (before == null) {
            return;
        }
        GrayReleases now = before.typed(type);
        if (now != before) {
            grays.put(key, now);
            contents.invalidateAll(before.all());
        }
    }

    @Override
    public void announce(ConfigChanged change) {
        if (change.contentDiffers()) {
            feed.announce(List.of(change));
        }
    }

    /**
     * Makes memory equal to the store and announces differences. Call it without concurrent writes: at the start, or on the
     * writer's thread.
     *
     * @param stored passes every stored entry to its argument
     */
    public void reload(Consumer<Consumer<ConfigEntry>> stored) {
        Set<ConfigKey> gone = new HashSet<>(entries.keySet());
        Map<ConfigKey, GrayReleases> stillGray = new HashMap<>();
        stored.accept(entry -> {
            if (entry.gray() != null) {
                stillGray.merge(
                        entry.key(),
                        GrayReleases.with(null, entry),
                        (others, single) -> GrayReleases.with(others, entry));
                return;
            }
            gone.remove(entry.key());
            ConfigEntry before = entries.put(entry.key(), entry);
            if (!entry.equals(before)) {
                changed(entry.key());
            }
            if (before == null || !before.digest().equals(entry.digest())) {
                announceFound(entry.key(), Optional.ofNullable(before), Optional.of(entry.digest()));
            }
        });
        for (ConfigKey key : gone) {
            ConfigEntry before = entries.remove(key);
            changed(key);
            announceFound(key, Optional.ofNullable(before), Optional.empty());
        }
        Set<ConfigKey> changedGray = new HashSet<>(grays.keySet());
        changedGray.addAll(stillGray.keySet());
        changedGray.removeIf(key -> isSame(grays.get(key), stillGray.get(key)));
        grays.keySet().retainAll(stillGray.keySet());
        grays.putAll(stillGray);
        changedGray.forEach(key -> {
            changed(key);
            announceFound(key, Optional.empty(), Optional.empty());
        });
    }

    /**
     * Replaces one configuration by the stored state, and announces another content. On the writer's thread only.
     *
     * @param found the version for all clients, or null
     * @return whether anything differed
     */
    public boolean found(ConfigKey key, @Nullable ConfigEntry found, List<ConfigEntry> foundGray) {
        ConfigEntry before = found == null ? entries.remove(key) : entries.put(key, found);
        GrayReleases grayBefore = grays.get(key);
        GrayReleases grayNow = null;
        for (ConfigEntry gray : foundGray) {
            grayNow = GrayReleases.with(grayNow, gray);
        }
        boolean isGraySame = grayBefore == null ? grayNow == null : isSame(grayBefore, grayNow);
        if (!isGraySame) {
            if (grayNow == null) {
                grays.remove(key);
            } else {
                grays.put(key, grayNow);
            }
        }
        if (isGraySame && Objects.equals(before, found)) {
            return false;
        }
        if (before != null && !before.equals(found)) {
            contents.invalidate(before);
        }
        changed(key);
        Optional<ContentDigest> digestNow = Optional.ofNullable(found).map(ConfigEntry::digest);
        if (!Optional.ofNullable(before).map(ConfigEntry::digest).equals(digestNow)) {
            announceFound(key, Optional.ofNullable(before), digestNow);
        } else if (!isGraySame) {
            announceFound(key, Optional.empty(), Optional.empty());
        }
        return true;
    }

    private static boolean isSame(@Nullable GrayReleases before, @Nullable GrayReleases now) {
        return before != null && now != null && before.all().equals(now.all());
    }

    private void announceFound(ConfigKey key, Optional<ConfigEntry> before, Optional<ContentDigest> now) {
        feed.announce(
                List.of(new ConfigChanged(key, ConfigChanged.UNKNOWN_REVISION, before.map(ConfigEntry::digest), now)));
    }
}
