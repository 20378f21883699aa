package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import org.jspecify.annotations.Nullable;

/** How a client writes the namespace of a listened key. Clients key their caches by it, so pushes repeat it. */
final class NamespaceAlias {

    /** The message has the tenant: another namespace, or {@code public} in full. */
    static final int GIVEN = 0;
    /** The default namespace as an absent or empty tenant. */
    static final int LEFT_OUT = 1;

    static final int COUNT = 2;

    private NamespaceAlias() {}

    static int of(@Nullable String tenant) {
        return tenant == null || tenant.isEmpty() ? LEFT_OUT : GIVEN;
    }

    /** The tenant of a push about the key. */
    static @Nullable String tenant(ConfigKey key, int alias) {
        Namespace namespace = key.namespace();
        return alias == LEFT_OUT && namespace.isDefault() ? null : namespace.id();
    }
}
