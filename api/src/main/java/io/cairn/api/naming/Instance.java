package io.cairn.api.naming;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a service. Immutable and thread-safe.
 *
 * @param weight its share of the traffic, 0–10000; 0 for none
 * @param enabled whether consumers get to see it
 * @param ephemeral whether it lives only as long as its publisher does
 * @param metadata in the publisher's order
 * @param id a name of its publisher's choice; null for the usual one made of its parts
 */
public record Instance(
        InstanceKey key,
        double weight,
        boolean healthy,
        boolean enabled,
        boolean ephemeral,
        Map<String, String> metadata,
        @Nullable String id) {

    /** Metadata: how often its publisher beats, in ms. */
    public static final String BEAT_INTERVAL = "preserved.heart.beat.interval";
    /** Metadata: after how many ms without a beat it counts as unhealthy. */
    public static final String BEAT_TIMEOUT = "preserved.heart.beat.timeout";
    /** Metadata: after how many ms without a beat it is removed. */
    public static final String DELETE_TIMEOUT = "preserved.ip.delete.timeout";
    /** Metadata: how its id is made, {@code simple} or {@code snowflake}. */
    public static final String ID_GENERATOR = "preserved.instance.id.generator";

    private static final long DEFAULT_BEAT_INTERVAL_MILLIS = 5_000;
    private static final long DEFAULT_BEAT_TIMEOUT_MILLIS = 15_000;
    private static final long DEFAULT_DELETE_TIMEOUT_MILLIS = 30_000;

    public Instance {
        if (!metadata.isEmpty()) {
            // Map.copyOf would lose the order, which clients see.
            metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
        } else {
            metadata = Map.of();
        }
    }

    /** A healthy, enabled, ephemeral instance of weight 1 in the default cluster. */
    public static Instance of(String ip, int port) {
        return new Instance(
                new InstanceKey(ip, port, InstanceKey.DEFAULT_CLUSTER), 1.0, true, true, true, Map.of(), null);
    }

    public Instance withHealthy(boolean now) {
        return now == healthy ? this : new Instance(key, weight, now, enabled, ephemeral, metadata, id);
    }

    public Instance withWeight(double now) {
        return new Instance(key, now, healthy, enabled, ephemeral, metadata, id);
    }

    public Instance withEnabled(boolean now) {
        return new Instance(key, weight, healthy, now, ephemeral, metadata, id);
    }

    public Instance withMetadata(Map<String, String> now) {
        return new Instance(key, weight, healthy, enabled, ephemeral, now, id);
    }

    public Instance withId(@Nullable String now) {
        return new Instance(key, weight, healthy, enabled, ephemeral, metadata, now);
    }

    /** How often its publisher promises to beat. */
    public Duration beatInterval() {
        return Duration.ofMillis(millis(BEAT_INTERVAL, DEFAULT_BEAT_INTERVAL_MILLIS));
    }

    /** After how long without a beat it counts as unhealthy. */
    public Duration beatTimeout() {
        return Duration.ofMillis(millis(BEAT_TIMEOUT, DEFAULT_BEAT_TIMEOUT_MILLIS));
    }

    /** After how long without a beat it is removed. */
    public Duration deleteTimeout() {
        return Duration.ofMillis(millis(DELETE_TIMEOUT, DEFAULT_DELETE_TIMEOUT_MILLIS));
    }

    private long millis(String name, long otherwise) {
        String text = metadata.isEmpty() ? null : metadata.get(name);
        if (text == null || text.isEmpty() || text.length() > 15) {
            return otherwise;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return otherwise;
            }
        }
        return Long.parseLong(text);
    }
}
