package io.cairn.spring.discovery;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param service by default {@code spring.application.name}
 * @param group of this service, and of the services that the discovery client finds
 * @param host by default the local address of the route to the servers
 * @param port by default the port of the web server
 * @param weight 0–10000
 * @param drain the time limit for acknowledgements; zero deregisters at once
 * @param settle the time for calls under way
 */
@ConfigurationProperties("cairn.discovery")
public record CairnDiscoveryProperties(
        @DefaultValue("true") boolean register,
        @Nullable String service,
        @DefaultValue("DEFAULT_GROUP") String group,
        @Nullable String host,
        @Nullable Integer port,
        @DefaultValue("DEFAULT") String cluster,
        @DefaultValue("1") double weight,
        @Nullable Map<String, String> metadata,
        @DefaultValue("10s") Duration drain,
        @DefaultValue("1s") Duration settle) {

    private static final Duration MOST_DRAIN = Duration.ofSeconds(60);

    public CairnDiscoveryProperties {
        metadata = metadata == null ? Map.of() : Map.copyOf(metadata);
        if (drain.isNegative() || drain.compareTo(MOST_DRAIN) > 0) {
            throw new IllegalArgumentException("cairn.discovery.drain: " + drain + " (expected: 0s to 60s)");
        }
    }
}
