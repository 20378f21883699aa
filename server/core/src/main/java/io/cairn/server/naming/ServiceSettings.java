package io.cairn.server.naming;

import io.cairn.server.naming.label.LabelSelector;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A service's stored settings, by operators.
 *
 * @param ephemeral the kind
 * @param protectThreshold 0–1: unless the share of healthy instances is above it, all are returned as healthy
 * @param selector limits instances by consumer
 * @param clusters settings by name
 */
public record ServiceSettings(
        boolean ephemeral,
        double protectThreshold,
        Map<String, String> metadata,
        LabelSelector selector,
        Map<String, ClusterSettings> clusters) {

    public ServiceSettings {
        metadata = metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
        clusters = Map.copyOf(clusters);
    }

    /** Without stored settings. */
    public static ServiceSettings ofKind(boolean ephemeral) {
        return new ServiceSettings(ephemeral, 0, Map.of(), LabelSelector.NONE, Map.of());
    }

    /** Or the defaults. */
    public ClusterSettings cluster(String name) {
        return clusters.getOrDefault(name, ClusterSettings.DEFAULT);
    }

    public ServiceSettings withCluster(String name, ClusterSettings settings) {
        Map<String, ClusterSettings> more = new LinkedHashMap<>(clusters);
        more.put(name, settings);
        return new ServiceSettings(ephemeral, protectThreshold, metadata, selector, more);
    }

    /** Whether so few are healthy that all are returned as healthy. */
    public boolean isProtected(int instances, int healthy) {
        return instances > 0 && (float) healthy / instances <= (float) protectThreshold;
    }
}
