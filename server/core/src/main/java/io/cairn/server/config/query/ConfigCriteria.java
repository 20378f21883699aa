package io.cairn.server.config.query;

import io.cairn.api.config.ConfigType;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.ConfigEntry;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Search criteria; empty ones match everything.
 *
 * @param tags at least one must match
 */
public record ConfigCriteria(
        Namespace namespace,
        Optional<TextPattern> dataId,
        Optional<TextPattern> group,
        Optional<TextPattern> appName,
        List<TextPattern> tags,
        Optional<Set<ConfigType>> types,
        Optional<TextPattern> content) {

    public static ConfigCriteria all(Namespace namespace) {
        return accurate(new Words(namespace, null, null, null, null, null, null));
    }

    /** Names, application and tags must be equal. */
    public static ConfigCriteria accurate(Words words) {
        return of(words, TextPattern::exact);
    }

    /** Names, application and tags may have {@code *} as a wildcard. */
    public static ConfigCriteria blur(Words words) {
        return of(words, TextPattern::wildcard);
    }

    private static ConfigCriteria of(Words words, Function<@Nullable String, Optional<TextPattern>> pattern) {
        return new ConfigCriteria(
                words.namespace,
                pattern.apply(words.dataId),
                pattern.apply(words.group),
                pattern.apply(words.appName),
                separated(words.tags)
                        .flatMap(tag -> pattern.apply(tag).stream())
                        .toList(),
                types(words.types),
                TextPattern.containing(words.content));
    }

    /** Empty without a type; an unknown type matches nothing. */
    private static Optional<Set<ConfigType>> types(@Nullable String commaSeparated) {
        Set<String> names = separated(commaSeparated).collect(Collectors.toSet());
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(Stream.of(ConfigType.values())
                        .filter(type -> names.contains(type.wireName()))
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static Stream<String> separated(@Nullable String commaSeparated) {
        return commaSeparated == null
                ? Stream.empty()
                : Stream.of(commaSeparated.split(",")).map(String::trim).filter(word -> !word.isEmpty());
    }

    public ConfigCriteria {
        tags = List.copyOf(tags);
    }

    /**
     * The texts of a search; null or blank matches everything.
     *
     * @param tags comma separated
     * @param types comma separated
     * @param content a part of it, with {@code *} as a wildcard
     */
    public record Words(
            Namespace namespace,
            @Nullable String dataId,
            @Nullable String group,
            @Nullable String appName,
            @Nullable String tags,
            @Nullable String types,
            @Nullable String content) {}

    /** Compares namespace, names and type. */
    boolean matches(ConfigEntry entry) {
        // Compares texts, because this runs for every configuration.
        return entry.key().namespace().id().equals(namespace.id())
                && (types.isEmpty() || types.get().contains(entry.type()))
                && (group.isEmpty() || group.get().matches(entry.key().group()))
                && (dataId.isEmpty() || dataId.get().matches(entry.key().dataId()));
    }

    /** Whether the search needs values outside memory. */
    boolean needsStore() {
        return appName.isPresent() || !tags.isEmpty() || content.isPresent();
    }
}
