package io.cairn.server.xds.resource;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ConfigView;
import io.cairn.server.mesh.MeshNames;
import io.cairn.server.mesh.StoredName;
import io.cairn.server.naming.registry.RegistryView;
import org.jspecify.annotations.Nullable;

/** The names of clusters and routes: of services, subsets and stored resources. */
public final class KnownNames implements MeshNames {

    private final String group;
    private final ConfigView configs;
    private final RegistryView reads;

    /** @param group of the stored resources */
    public KnownNames(String group, ConfigView configs, RegistryView reads) {
        this.group = group;
        this.configs = configs;
        this.reads = reads;
    }

    @Override
    public @Nullable Boolean has(Namespace namespace, StoredName resource, Principal reader) {
        String name = resource.name();
        ConfigKey stored = new ConfigKey(namespace, group, resource.dataId());
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
                if (mayRead && reads.find(key) != null) {
                    return true;
                }
                knowsAll &= mayRead;
            }
        }
        return knowsAll ? false : null;
    }
}
