package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;

/** The configurations and namespaces before a transfer. Blocks. */
public interface ExistingConfigs {

    CurrentConfig current(ConfigKey key);

    /** Whether the namespace is created or the default one. */
    boolean exists(Namespace namespace);
}
