package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operator's values for an instance, which replace its publisher's and survive a registration.
 *
 * @param weight null for the publisher's
 * @param enabled null for the publisher's
 * @param metadata merged into the publisher's by key
 * @param drainEndMillis the end of a drain, during which the instance is disabled, in epoch milliseconds; 0 without a drain
 */
public record InstanceOverride(
        @Nullable Double weight, @Nullable Boolean enabled, Map<String, String> metadata, long drainEndMillis) {

    public static final InstanceOverride NONE = new InstanceOverride(null, null, Map.of());

    /** Without a drain. */
    public InstanceOverride(@Nullable Double weight, @Nullable Boolean enabled, Map<String, String> metadata) {
        this(weight, enabled, metadata, 0);
    }

    public InstanceOverride {
        metadata = metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    public boolean isNone() {
        return weight == null && enabled == null && metadata.isEmpty() && drainEndMillis == 0;
    }

    /** Adds or replaces these keys. */
    public InstanceOverride withMetadata(Map<String, String> more) {
        Map<String, String> merged = new LinkedHashMap<>(metadata);
        merged.putAll(more);
        return new InstanceOverride(weight, enabled, merged, drainEndMillis);
    }

    public InstanceOverride withoutMetadata(Iterable<String> keys) {
        Map<String, String> left = new LinkedHashMap<>(metadata);
        keys.forEach(left::remove);
        return new InstanceOverride(weight, enabled, left, drainEndMillis);
    }

    /** With these values of the operator; a drain goes on. */
    public InstanceOverride withValues(
            @Nullable Double otherWeight, @Nullable Boolean otherEnabled, Map<String, String> otherMetadata) {
        return new InstanceOverride(otherWeight, otherEnabled, otherMetadata, drainEndMillis);
    }

    public boolean isDraining() {
        return drainEndMillis != 0;
    }

    /** @param endMillis in epoch milliseconds; 0 ends the drain */
    public InstanceOverride drainedUntil(long endMillis) {
        return new InstanceOverride(weight, enabled, metadata, endMillis);
    }

    public Instance applyTo(Instance published) {
        Map<String, String> shown = published.metadata();
        if (!metadata.isEmpty()) {
            shown = new LinkedHashMap<>(shown);
            shown.putAll(metadata);
        }
        return new Instance(
                published.key(),
                weight != null ? weight : published.weight(),
                published.healthy(),
                !isDraining() && (enabled != null ? enabled : published.enabled()),
                published.ephemeral(),
                shown,
                published.id());
    }
}
