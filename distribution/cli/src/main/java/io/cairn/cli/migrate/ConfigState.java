package io.cairn.cli.migrate;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** @param listsTags whether {@code grays} has all releases by tag */
public record ConfigState(
        ConfigKey key,
        String content,
        String type,
        String description,
        String tags,
        String application,
        String encryptedDataKey,
        List<GrayRelease> grays,
        boolean listsTags,
        long modifiedMillis) {

    private static final String SEPARATOR = "\u0001";

    public ConfigState {
        type = type.isBlank() ? "text" : type;
        tags = Arrays.stream(tags.split(","))
                .map(String::strip)
                .filter(tag -> !tag.isEmpty())
                .distinct()
                .sorted()
                .collect(Collectors.joining(","));
        grays = grays.stream()
                .sorted(Comparator.comparing(GrayRelease::kind).thenComparing(GrayRelease::name))
                .toList();
    }

    public String md5() {
        return ContentDigest.of(content).toString();
    }

    public ConfigVersion version() {
        return new ConfigVersion(md5(), digest(grays));
    }

    private String digest(List<GrayRelease> compared) {
        String releases = compared.stream()
                .map(gray -> String.join(
                        SEPARATOR,
                        gray.kind(),
                        gray.name(),
                        gray.rule(),
                        String.valueOf(gray.priority()),
                        gray.content()))
                .collect(Collectors.joining("\u0002"));
        return ContentDigest.of(
                        String.join(SEPARATOR, type, description, tags, application, encryptedDataKey, releases))
                .toString();
    }

    public boolean isSameAs(ConfigState other) {
        boolean withTags = listsTags && other.listsTags;
        return content.equals(other.content)
                && digest(comparable(withTags)).equals(other.digest(other.comparable(withTags)));
    }

    private List<GrayRelease> comparable(boolean withTags) {
        return grays.stream()
                .filter(gray -> withTags || gray.kind().equals(GrayRelease.BETA))
                .toList();
    }

    public long releasesOfCairn() {
        return grays.stream().filter(GrayRelease::isOfCairn).count();
    }
}
