package io.cairn.server.xds;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ConfigView;
import io.cairn.server.mesh.ClusterNames;
import io.cairn.server.mesh.StoredName;
import io.cairn.server.naming.NamingService;
import org.jspecify.annotations.Nullable;

/** The names that are clusters: those of services, of their subsets, and of stored clusters. */
public final class KnownClusters implements ClusterNames {

    private final String group;
    private final ConfigView configs;
    private final NamingService naming;

    /** @param group of the configurations that are resources */
    public KnownClusters(String group, ConfigView configs, NamingService naming) {
        this.group = group;
        this.configs = configs;
        this.naming = naming;
    }

    @Override
    public @Nullable Boolean has(Namespace namespace, String name, Principal reader) {
        ConfigKey stored = new ConfigKey(namespace, group, new StoredName(StoredName.Kind.CLUSTER, name).dataId());
        boolean knowsAll = reader.mayRead(stored);
        if (knowsAll
                && (configs.entry(stored) != null
                        || !configs.grayEntries(stored).isEmpty())) {
            return true;
        }
        for (ResourceName service : new ResourceName[] {ResourceName.wholeService(name), ResourceName.parse(name)}) {
            if (service != null) {
                ServiceKey key = service.service(namespace);
                boolean mayRead = reader.mayRead(key);
                if (mayRead && naming.find(key) != null) {
                    return true;
                }
                knowsAll &= mayRead;
            }
        }
        return knowsAll ? false : null;
    }
}
