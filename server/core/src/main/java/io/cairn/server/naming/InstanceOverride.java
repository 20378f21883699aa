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
 */
public record InstanceOverride(
        @Nullable Double weight, @Nullable Boolean enabled, Map<String, String> metadata) {

    public static final InstanceOverride NONE = new InstanceOverride(null, null, Map.of());

    public InstanceOverride {
        metadata = metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    public boolean isNone() {
        return weight == null && enabled == null && metadata.isEmpty();
    }

    /** Adds or replaces these keys. */
    public InstanceOverride withMetadata(Map<String, String> more) {
        Map<String, String> merged = new LinkedHashMap<>(metadata);
        merged.putAll(more);
        return new InstanceOverride(weight, enabled, merged);
    }

    public InstanceOverride withoutMetadata(Iterable<String> keys) {
        Map<String, String> left = new LinkedHashMap<>(metadata);
        keys.forEach(left::remove);
        return new InstanceOverride(weight, enabled, left);
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
                enabled != null ? enabled : published.enabled(),
                published.ephemeral(),
                shown,
                published.id());
    }
}
