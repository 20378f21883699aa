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
 * @param drain the time at weight 0 before the deregistration; zero deregisters at once
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
        @DefaultValue("3s") Duration drain) {

    public CairnDiscoveryProperties {
        metadata = metadata == null ? Map.of() : Map.copyOf(metadata);
    }
}
