package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * How a client spells the namespace of a key it listens to. Clients keep their caches by their own spelling, so what is
 * pushed to them is spelled alike.
 */
final class TenantSpelling {

    /** The tenant stands in the message: any namespace of its own, or {@code public} spelled out. */
    static final int GIVEN = 0;
    /** The default namespace as an absent or empty tenant. */
    static final int LEFT_OUT = 1;

    static final int COUNT = 2;

    private TenantSpelling() {}

    static int of(@Nullable String tenant) {
        return tenant == null || tenant.isEmpty() ? LEFT_OUT : GIVEN;
    }

    /** The tenant field of a push about that key. */
    static @Nullable String tenant(ConfigKey key, int spelling) {
        Namespace namespace = key.namespace();
        return spelling == LEFT_OUT && namespace.isDefault() ? null : namespace.id();
    }
}
