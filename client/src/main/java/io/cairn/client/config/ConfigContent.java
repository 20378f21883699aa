package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.client.connection.Origin;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;

/**
 * One version of a configuration.
 *
 * @param type the format declared by the publisher
 * @param digest the expected value for {@link ConfigClient#publishIf}
 * @param fetchedAt the time of the server's response, also for a snapshot
 */
public record ConfigContent(
        ConfigKey key, String text, ConfigType type, ContentDigest digest, Origin origin, Instant fetchedAt) {

    static ConfigContent fetched(ConfigKey key, String text, ConfigType type, Instant now) {
        return new ConfigContent(key, text, type, ContentDigest.of(text), Origin.SERVER, now);
    }

    public Duration age() {
        Duration age = Duration.between(fetchedAt, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    /**
     * Reads the text as Java properties.
     *
     * @throws IllegalArgumentException when the text contains a malformed Unicode escape
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
     * Reads the text into a record class, in the declared format: JSON, YAML or properties. Without a type, the extension of the data id decides between properties and YAML.
     *
     * @throws IllegalArgumentException when the text cannot be read into the class; the message names the field
     */
    public <T> T as(Class<T> type) {
        return ContentReader.read(this, type);
    }
}
