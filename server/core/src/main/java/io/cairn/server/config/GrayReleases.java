package io.cairn.server.config;

import io.cairn.api.config.ConfigType;
import io.cairn.server.gray.GrayClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gray releases of one configuration, highest priority first. */
final class GrayReleases {

    private static final Comparator<ConfigEntry> BY_PRIORITY =
            Comparator.comparingInt(GrayReleases::priority).reversed().thenComparing(GrayReleases::name);

    private final List<ConfigEntry> releases;

    private GrayReleases(List<ConfigEntry> releases) {
        this.releases = List.copyOf(releases);
    }

    /** Adds a release, or replaces that of its name. */
    static GrayReleases with(@Nullable GrayReleases others, ConfigEntry added) {
        List<ConfigEntry> all = new ArrayList<>();
        if (others != null) {
            all.addAll(others.releases);
        }
        all.removeIf(release -> name(release).equals(name(added)));
        all.add(added);
        all.sort(BY_PRIORITY);
        return new GrayReleases(all);
    }

    /** Null without further releases. */
    @Nullable
    GrayReleases without(String name) {
        List<ConfigEntry> left =
                releases.stream().filter(release -> !name(release).equals(name)).toList();
        return left.isEmpty() ? null : new GrayReleases(left);
    }

    /** With the type of their configuration. */
    GrayReleases typed(ConfigType type) {
        return releases.stream().allMatch(release -> release.type() == type)
                ? this
                : new GrayReleases(
                        releases.stream().map(release -> release.withType(type)).toList());
    }

    /** The client's release, or null. */
    @Nullable
    ConfigEntry match(GrayClient client) {
        for (ConfigEntry release : releases) {
            GrayRule rule = release.gray();
            if (rule != null && rule.matches(release.key(), client)) {
                return release;
            }
        }
        return null;
    }

    @Nullable
    ConfigEntry named(String name) {
        for (ConfigEntry release : releases) {
            if (name(release).equals(name)) {
                return release;
            }
        }
        return null;
    }

    List<String> names() {
        return releases.stream().map(GrayReleases::name).toList();
    }

    List<ConfigEntry> all() {
        return releases;
    }

    /** Whether a client that both match gets the release of the first one. */
    static boolean isBefore(GrayRule one, GrayRule other) {
        return one.priority() != other.priority()
                ? one.priority() > other.priority()
                : one.name().compareTo(other.name()) < 0;
    }

    private static int priority(ConfigEntry release) {
        GrayRule rule = release.gray();
        return rule == null ? Integer.MIN_VALUE : rule.priority();
    }

    private static String name(ConfigEntry release) {
        GrayRule rule = release.gray();
        return rule == null ? "" : rule.name();
    }
}
