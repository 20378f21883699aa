package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.mesh.MeshReads.ServiceProblem;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSettings;
import java.util.ArrayList;
import java.util.List;

/** The services whose metadata has settings for the mesh that cannot be read. Thread-safe. */
final class ServiceProblems {

    private final NamingService naming;

    ServiceProblems(NamingService naming) {
        this.naming = naming;
    }

    List<ServiceProblem> of(Namespace namespace) {
        List<ServiceKey> services = new ArrayList<>();
        naming.forEachServiceKey(namespace, services::add);
        List<ServiceProblem> found = new ArrayList<>(0);
        for (ServiceKey service : services) {
            ServiceSettings stored = naming.storedSettings(service);
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
