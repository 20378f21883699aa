package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.client.Origin;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;

/**
 * One version of a configuration. Immutable and thread-safe.
 *
 * @param type the format that its publisher declared
 * @param digest of the text; what {@link ConfigClient#publishIf} wants to know
 * @param origin whether a server has said so, or a file from an earlier time
 * @param fetchedAt when the server handed it out
 */
public record ConfigContent(
        ConfigKey key, String text, ConfigType type, ContentDigest digest, Origin origin, Instant fetchedAt) {

    static ConfigContent fetched(ConfigKey key, String text, ConfigType type, Instant now) {
        return new ConfigContent(key, text, type, ContentDigest.of(text), Origin.SERVER, now);
    }

    /** How long ago the server handed it out. */
    public Duration age() {
        Duration age = Duration.between(fetchedAt, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    /**
     * The text as Java properties.
     *
     * @throws IllegalArgumentException when it is not
     */
    public Properties asProperties() {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }

    /**
     * The text as a value of a record class: read as JSON, YAML or properties, whichever it is declared to be. With any
     * other type the file ending counts, then JSON when it begins with a brace, else YAML.
     *
     * @throws IllegalArgumentException when it does not fit; the message names the field
     */
    public <T> T as(Class<T> type) {
        return ContentReader.read(this, type);
    }
}
