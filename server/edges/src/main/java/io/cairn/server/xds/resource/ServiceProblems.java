package io.cairn.server.xds.resource;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.mesh.MeshReads.ServiceProblem;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.registry.RegistryView;
import java.util.ArrayList;
import java.util.List;

/** The services with invalid mesh settings. */
public final class ServiceProblems {

    private final RegistryView reads;

    public ServiceProblems(RegistryView reads) {
        this.reads = reads;
    }

    public List<ServiceProblem> of(Namespace namespace) {
        List<ServiceKey> services = new ArrayList<>();
        reads.forEachServiceKey(namespace, services::add);
        List<ServiceProblem> found = new ArrayList<>(0);
        for (ServiceKey service : services) {
            ServiceSettings stored = reads.storedSettings(service);
            if (stored != null) {
                List<String> problems = ServiceOptions.of(stored.metadata()).problems();
                if (!problems.isEmpty()) {
                    found.add(new ServiceProblem(service, String.join("; ", problems)));
                }
            }
        }
        return found;
    }
}
