package io.cairn.server.naming;

import io.cairn.server.naming.label.LabelSelector;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The stored settings of a service, which operators change. Immutable.
 *
 * @param ephemeral the kind of its instances
 * @param protectThreshold 0–1: if the share of healthy instances is not above it, all instances are returned as healthy
 * @param selector by which consumers get different instances
 * @param clusters the settings of clusters that have any
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

    /** The defaults of a service without stored settings. */
    public static ServiceSettings ofKind(boolean ephemeral) {
        return new ServiceSettings(ephemeral, 0, Map.of(), LabelSelector.NONE, Map.of());
    }

    /** The settings of a cluster, or the defaults. */
    public ClusterSettings cluster(String name) {
        return clusters.getOrDefault(name, ClusterSettings.DEFAULT);
    }

    public ServiceSettings withCluster(String name, ClusterSettings settings) {
        Map<String, ClusterSettings> more = new LinkedHashMap<>(clusters);
        more.put(name, settings);
        return new ServiceSettings(ephemeral, protectThreshold, metadata, selector, more);
    }

    /** Whether the share of healthy instances is so low that all are returned as healthy. */
    boolean isProtected(int instances, int healthy) {
        return instances > 0 && (float) healthy / instances <= (float) protectThreshold;
    }
}
