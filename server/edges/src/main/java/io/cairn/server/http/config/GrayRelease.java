package io.cairn.server.http.config;

import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.GrayRule;
import java.util.List;
import java.util.Objects;

/** A gray release in answers about its configuration. */
public record GrayRelease(String grayName, String grayRule, String md5, long modifyTime) {

    static List<GrayRelease> listOf(List<ConfigEntry> releases) {
        return releases.stream().map(GrayRelease::of).toList();
    }

    private static GrayRelease of(ConfigEntry release) {
        GrayRule rule = Objects.requireNonNull(release.gray(), "the rule of a gray release");
        return new GrayRelease(rule.name(), rule.toJson(), release.digest().toString(), release.lastModifiedMillis());
    }
}
