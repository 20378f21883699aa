package io.cairn.server.xds;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.ConfigView;
import io.cairn.server.mesh.StoredName;
import io.cairn.server.naming.NamingService;
import org.jspecify.annotations.Nullable;

/** The names that are clusters: those of services, of their subsets, and of stored clusters. Thread-safe. */
public final class KnownClusters {

    private final String group;
    private final ConfigView configs;
    private final NamingService naming;

    /** @param group of the configurations that are resources */
    public KnownClusters(String group, ConfigView configs, NamingService naming) {
        this.group = group;
        this.configs = configs;
        this.naming = naming;
    }

    /** Whether the name is that of a cluster now. */
    public boolean has(Namespace namespace, String name) {
        ConfigKey stored = new ConfigKey(namespace, group, new StoredName(StoredName.Kind.CLUSTER, name).dataId());
        return configs.entry(stored) != null
                || !configs.grayEntries(stored).isEmpty()
                || isService(namespace, ResourceName.wholeService(name))
                || isService(namespace, ResourceName.parse(name));
    }

    private boolean isService(Namespace namespace, @Nullable ResourceName name) {
        return name != null && naming.find(name.service(namespace)) != null;
    }
}
