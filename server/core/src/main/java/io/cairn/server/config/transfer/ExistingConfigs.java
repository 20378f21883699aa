package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;

/** The configurations and namespaces that are stored before a transfer. All methods block. */
public interface ExistingConfigs {

    /** The configuration that is stored under the key. */
    CurrentConfig current(ConfigKey key);

    /** Whether the namespace was created, or is the default one. */
    boolean exists(Namespace namespace);
}
