package io.cairn.server.config;

import io.cairn.api.config.ConfigType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gray releases of one configuration, the one with the highest priority first. Immutable. */
final class GrayReleases {

    private static final Comparator<ConfigEntry> BY_PRIORITY =
            Comparator.comparingInt(GrayReleases::priority).reversed().thenComparing(GrayReleases::name);

    private final List<ConfigEntry> releases;

    private GrayReleases(List<ConfigEntry> releases) {
        this.releases = List.copyOf(releases);
    }

    /** These releases and one more, which takes the place of one of the same name. */
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

    /** These releases without that one; null when none is left. */
    @Nullable
    GrayReleases without(String name) {
        List<ConfigEntry> left =
                releases.stream().filter(release -> !name(release).equals(name)).toList();
        return left.isEmpty() ? null : new GrayReleases(left);
    }

    /** These releases with that type, which is the one of their configuration. */
    GrayReleases typed(ConfigType type) {
        return releases.stream().allMatch(release -> release.type() == type)
                ? this
                : new GrayReleases(
                        releases.stream().map(release -> release.withType(type)).toList());
    }

    /** The release that the client gets, or null when none is for it. */
    @Nullable
    ConfigEntry match(GrayRule.Client client) {
        for (ConfigEntry release : releases) {
            GrayRule rule = release.gray();
            if (rule != null && rule.matches(client)) {
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

    List<ConfigEntry> all() {
        return releases;
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
