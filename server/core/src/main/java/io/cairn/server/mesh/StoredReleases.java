package io.cairn.server.mesh;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.GrayRule;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.mesh.StoredResources.GrayRelease;
import io.cairn.server.mesh.StoredResources.Reader;
import io.cairn.server.mesh.StoredResources.Unreadable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A namespace's stored resources at one moment. Immutable except for cached answers. */
final class StoredReleases {

    static final StoredReleases NONE = new StoredReleases(Map.of());

    /** Cached answers; nodes have few different ones. */
    private static final int MAX_REMEMBERED = 1_000;

    private final Map<ConfigKey, Config> configs;
    private final Set<String> applications = new HashSet<>();
    private final Set<GrayRelease> grayReleases = new HashSet<>();
    private final Map<Reader, Map<String, Map<String, StoredResource>>> answers = new ConcurrentHashMap<>();

    /**
     * @param application the receiving node cluster; empty for all
     * @param releases gray ones by priority, then that for all, if any
     */
    record Config(String application, List<Release> releases) {

        boolean isFor(String nodeApplication) {
            return application.isEmpty() || application.equals(nodeApplication);
        }

        /** The first release with a chosen rule or without one. */
        @Nullable
        Release first(Predicate<GrayRule> isChosen) {
            for (Release release : releases) {
                GrayRule rule = release.rule();
                if (rule == null || isChosen.test(rule)) {
                    return release;
                }
            }
            return null;
        }
    }

    /**
     * @param rule null for all nodes
     * @param resource null without a readable version
     * @param unreadable null for a readable present version
     */
    record Release(
            @Nullable GrayRule rule,
            @Nullable StoredResource resource,
            @Nullable Unreadable unreadable) {

        /** Empty for all nodes. */
        String name() {
            return rule == null ? "" : rule.name();
        }
    }

    StoredReleases(Map<ConfigKey, Config> configs) {
        this.configs = Map.copyOf(configs);
        configs.forEach((key, config) -> {
            if (!config.application().isEmpty()) {
                applications.add(config.application());
            }
            for (Release release : config.releases()) {
                GrayRule rule = release.rule();
                if (rule != null) {
                    grayReleases.add(new GrayRelease(key, rule));
                }
            }
        });
    }

    /** With one configuration as it is now; null removes it. */
    StoredReleases with(ConfigKey key, @Nullable Config config) {
        Map<ConfigKey, Config> changed = new HashMap<>(configs);
        if (config == null) {
            changed.remove(key);
        } else {
            changed.put(key, config);
        }
        return new StoredReleases(changed);
    }

    @Nullable
    Config config(ConfigKey key) {
        return configs.get(key);
    }

    boolean isEmpty() {
        return configs.isEmpty();
    }

    /** The kind of a node: equal for all with the same resources. */
    Reader readerOf(Namespace namespace, String cluster, GrayClient client) {
        String application = applications.contains(cluster) ? cluster : "";
        if (grayReleases.isEmpty()) {
            return new Reader(namespace, application, Set.of());
        }
        Set<GrayRelease> chosen = new HashSet<>();
        configs.forEach((key, config) -> {
            Release first = config.isFor(application) ? config.first(rule -> rule.matches(key, client)) : null;
            GrayRule rule = first == null ? null : first.rule();
            if (rule != null) {
                chosen.add(new GrayRelease(key, rule));
            }
        });
        return new Reader(namespace, application, chosen);
    }

    /** Whether the reader's gray releases are unchanged; else its nodes have another kind. */
    boolean isCurrent(Reader reader) {
        return grayReleases.containsAll(reader.grayReleases());
    }

    /** By type URL and name. */
    Map<String, Map<String, StoredResource>> of(Reader reader) {
        if (configs.isEmpty()) {
            return Map.of();
        }
        if (answers.size() > MAX_REMEMBERED) {
            answers.clear();
        }
        return answers.computeIfAbsent(reader, this::select);
    }

    private Map<String, Map<String, StoredResource>> select(Reader reader) {
        Map<String, Map<String, StoredResource>> selected = new HashMap<>();
        configs.forEach((key, config) -> {
            Release first = config.isFor(reader.application())
                    ? config.first(rule -> reader.grayReleases().contains(new GrayRelease(key, rule)))
                    : null;
            StoredResource resource = first == null ? null : first.resource();
            if (resource != null) {
                selected.computeIfAbsent(resource.typeUrl(), type -> new HashMap<>())
                        .put(resource.name(), resource);
            }
        });
        selected.replaceAll((type, byName) -> Map.copyOf(byName));
        return Map.copyOf(selected);
    }

    List<Unreadable> unreadable() {
        List<Unreadable> found = new ArrayList<>();
        for (Config config : configs.values()) {
            for (Release release : config.releases()) {
                if (release.unreadable() != null) {
                    found.add(release.unreadable());
                }
            }
        }
        return found;
    }
}
