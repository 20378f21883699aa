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
 * Which configurations are looked for; what is empty does not matter. Immutable.
 *
 * @param tags of which a configuration must have at least one
 * @param content what the content must be like
 */
public record ConfigCriteria(
        Namespace namespace,
        Optional<TextPattern> dataId,
        Optional<TextPattern> group,
        Optional<TextPattern> appName,
        List<TextPattern> tags,
        Optional<Set<ConfigType>> types,
        Optional<TextPattern> content) {

    /** All of a namespace. */
    public static ConfigCriteria all(Namespace namespace) {
        return accurate(new Words(namespace, null, null, null, null, null, null));
    }

    /** Names, application and tags are as given. */
    public static ConfigCriteria accurate(Words words) {
        return of(words, TextPattern::exact);
    }

    /** Names, application and tags are like those given, in which stars are wildcards. */
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

    /** Empty when none is named; a type that there is not matches nothing. */
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
     * What somebody looks for, in his own words; null or blank for what does not matter.
     *
     * @param tags comma separated
     * @param types comma separated
     * @param content a part of the content, in which stars are wildcards
     */
    public record Words(
            Namespace namespace,
            @Nullable String dataId,
            @Nullable String group,
            @Nullable String appName,
            @Nullable String tags,
            @Nullable String types,
            @Nullable String content) {}

    /** Whether namespace, names and type are as looked for. */
    boolean matches(ConfigEntry entry) {
        // By the text: this is asked of every configuration there is.
        return entry.key().namespace().id().equals(namespace.id())
                && (types.isEmpty() || types.get().contains(entry.type()))
                && (group.isEmpty() || group.get().matches(entry.key().group()))
                && (dataId.isEmpty() || dataId.get().matches(entry.key().dataId()));
    }

    /** Whether more is asked for than is in memory of every configuration. */
    boolean needsStore() {
        return appName.isPresent() || !tags.isEmpty() || content.isPresent();
    }
}
