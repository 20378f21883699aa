package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values that an operator has set for an instance. They replace the publisher's values and survive a new
 * registration. Immutable.
 *
 * @param weight null for the publisher's weight
 * @param enabled null for the publisher's value
 * @param metadata merged into the publisher's, key by key
 */
public record InstanceOverride(
        @Nullable Double weight, @Nullable Boolean enabled, Map<String, String> metadata) {

    /** Replaces no value. */
    public static final InstanceOverride NONE = new InstanceOverride(null, null, Map.of());

    public InstanceOverride {
        metadata = metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    public boolean isNone() {
        return weight == null && enabled == null && metadata.isEmpty();
    }

    /** This override with these keys added or replaced. */
    public InstanceOverride withMetadata(Map<String, String> more) {
        Map<String, String> merged = new LinkedHashMap<>(metadata);
        merged.putAll(more);
        return new InstanceOverride(weight, enabled, merged);
    }

    /** This override without these keys. */
    public InstanceOverride withoutMetadata(Iterable<String> keys) {
        Map<String, String> left = new LinkedHashMap<>(metadata);
        keys.forEach(left::remove);
        return new InstanceOverride(weight, enabled, left);
    }

    Instance applyTo(Instance published) {
        Map<String, String> shown = published.metadata();
        if (!metadata.isEmpty()) {
            shown = new LinkedHashMap<>(shown);
            shown.putAll(metadata);
        }
        return new Instance(
                published.key(),
                weight != null ? weight : published.weight(),
                published.healthy(),
                enabled != null ? enabled : published.enabled(),
                published.ephemeral(),
                shown,
                published.id());
    }
}
