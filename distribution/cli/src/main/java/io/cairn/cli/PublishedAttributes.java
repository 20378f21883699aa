package io.cairn.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The given attributes of a publish, else the stored ones. */
final class PublishedAttributes {

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "text, json, xml, yaml, html, properties or toml"
                    + " (default: the stored one, otherwise by the extension of the data ID, otherwise text)")
    private @Nullable String type;

    @Option(names = "--description", paramLabel = "TEXT", description = "'' removes it (default: the stored one)")
    private @Nullable String description;

    @Option(names = "--tags", paramLabel = "A,B", description = "'' removes them (default: the stored ones)")
    private @Nullable String tags;

    @Option(
            names = "--app",
            paramLabel = "NAME",
            description = "application of the configuration; '' removes it (default: the stored one)")
    private @Nullable String app;

    @Option(
            names = "--encrypted-data-key",
            paramLabel = "KEY",
            description = "key with which the content is encrypted; '' for plain text (default: the stored one)")
    private @Nullable String encryptedDataKey;

    /**
     * @param stored the stored configuration; without fields if absent
     * @param validate whether to check the content
     * @throws Failure for an unknown type, or a content that cannot be checked
     */
    Map<String, String> with(String dataId, @Nullable Object stored, boolean validate) {
        ContentType declared = declared(dataId, stored);
        String key = encryptedDataKey == null ? Json.text(stored, "encryptedDataKey") : encryptedDataKey;
        if (validate && !key.isEmpty()) {
            throw new Failure("--validate: an encrypted content cannot be checked; nothing was published");
        }
        if (validate && !declared.isChecked()) {
            throw new Failure("--validate: type " + declared.wireName() + " of " + dataId
                    + " cannot be checked (expected: --type " + ContentType.CHECKED + "); nothing was published");
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("type", declared.wireName());
        put(parameters, "desc", description, Json.text(stored, "desc"));
        put(parameters, "use", null, Json.text(stored, "use"));
        put(parameters, "effect", null, Json.text(stored, "effect"));
        put(parameters, "encryptedDataKey", null, key);
        // The server keeps absent ones, and removes empty ones.
        put(parameters, "configTags", tags, "");
        put(parameters, "appName", app, "");
        return parameters;
    }

    private static void put(Map<String, String> parameters, String name, @Nullable String given, String stored) {
        if (given != null) {
            parameters.put(name, given);
        } else if (!stored.isEmpty()) {
            parameters.put(name, stored);
        }
    }

    private ContentType declared(String dataId, @Nullable Object stored) {
        String named = type;
        if (named != null) {
            return ContentType.of(named)
                    .orElseThrow(() -> new Failure("--type: '" + named + "' (expected: " + ContentType.ALL + ')'));
        }
        return Optional.of(Json.text(stored, "type"))
                .flatMap(ContentType::of)
                .or(() -> ContentType.ofEnding(dataId))
                .orElse(ContentType.TEXT);
    }
}
