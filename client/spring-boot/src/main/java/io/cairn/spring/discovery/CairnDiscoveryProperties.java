package io.cairn.spring.discovery;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How an application appears in the registry, {@code cairn.discovery.*}.
 *
 * @param register whether it registers itself, once its web server listens
 * @param service the name of its service; without it {@code spring.application.name}
 * @param group the group of its service, and of those that it looks for
 * @param host the address that others reach it at; without it the one from which the servers are
 *     reached
 * @param port the port that others reach it at; without it the one that its web server listens on
 * @param cluster the part of the service that it belongs to
 * @param weight its share of the traffic, 0 to 10000
 * @param metadata what else is to be known of it
 * @param drain how long it goes on at weight zero, after consumers were told, before it leaves; zero leaves at once
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
