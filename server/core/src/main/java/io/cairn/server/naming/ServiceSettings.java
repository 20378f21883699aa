package io.cairn.server.naming;

import io.cairn.server.naming.label.LabelSelector;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an operator has set for a service; stored. Immutable.
 *
 * @param ephemeral the kind of its instances
 * @param protectThreshold 0–1: when the share of healthy instances is not above it, all are handed out as healthy
 * @param selector by which consumers are told apart
 * @param clusters the settings of those clusters that have any
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

    /** What holds for a service that nobody has set anything for. */
    public static ServiceSettings ofKind(boolean ephemeral) {
        return new ServiceSettings(ephemeral, 0, Map.of(), LabelSelector.NONE, Map.of());
    }

    /** The settings of a cluster, the default ones where it has none. */
    public ClusterSettings cluster(String name) {
        return clusters.getOrDefault(name, ClusterSettings.DEFAULT);
    }

    public ServiceSettings withCluster(String name, ClusterSettings settings) {
        Map<String, ClusterSettings> more = new LinkedHashMap<>(clusters);
        more.put(name, settings);
        return new ServiceSettings(ephemeral, protectThreshold, metadata, selector, more);
    }

    /** Whether so few of that many instances are healthy that consumers are told that all are. */
    boolean isProtected(int instances, int healthy) {
        return instances > 0 && (float) healthy / instances <= (float) protectThreshold;
    }
}
