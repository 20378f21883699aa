package io.cairn.api.naming;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An instance of a service.
 *
 * @param weight the share of the traffic, 0–10000
 * @param enabled whether consumers receive it
 * @param ephemeral whether it ends with its publisher
 * @param metadata in the publisher's order
 * @param id set by the publisher; null for the default, made of the key
 */
public record Instance(
        InstanceKey key,
        double weight,
        boolean healthy,
        boolean enabled,
        boolean ephemeral,
        Map<String, String> metadata,
        @Nullable String id) {

    /** Metadata key: the interval of heartbeats, in ms. */
    public static final String BEAT_INTERVAL = "preserved.heart.beat.interval";
    /** Metadata key: the silence after which the instance is unhealthy, in ms. */
    public static final String BEAT_TIMEOUT = "preserved.heart.beat.timeout";
    /** Metadata key: the silence after which the instance is removed, in ms. */
    public static final String DELETE_TIMEOUT = "preserved.ip.delete.timeout";
    /** Metadata key: the format of the id, {@code simple} or {@code snowflake}. */
    public static final String ID_GENERATOR = "preserved.instance.id.generator";

    private static final long DEFAULT_BEAT_INTERVAL_MILLIS = 5_000;
    private static final long DEFAULT_BEAT_TIMEOUT_MILLIS = 15_000;
    private static final long DEFAULT_DELETE_TIMEOUT_MILLIS = 30_000;

    public Instance {
        // Map.copyOf would lose the order, which clients see.
        metadata = FewTexts.copyOf(metadata);
    }

    // Written out for the reason given at ServiceKey.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof Instance instance
                        && key.equals(instance.key)
                        && Double.compare(weight, instance.weight) == 0
                        && healthy == instance.healthy
                        && enabled == instance.enabled
                        && ephemeral == instance.ephemeral
                        && Objects.equals(id, instance.id)
                        && metadata.equals(instance.metadata);
    }

    @Override
    public int hashCode() {
        return (key.hashCode() * 31 + Double.hashCode(weight)) * 31 + metadata.hashCode();
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

    /** See {@link #BEAT_INTERVAL}; 5 s by default. */
    public Duration beatInterval() {
        return Duration.ofMillis(millis(BEAT_INTERVAL, DEFAULT_BEAT_INTERVAL_MILLIS));
    }

    /** See {@link #BEAT_TIMEOUT}; 15 s by default. */
    public Duration beatTimeout() {
        return Duration.ofMillis(millis(BEAT_TIMEOUT, DEFAULT_BEAT_TIMEOUT_MILLIS));
    }

    /** See {@link #DELETE_TIMEOUT}; 30 s by default. */
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
