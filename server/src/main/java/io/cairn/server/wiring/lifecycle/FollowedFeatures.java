package io.cairn.server.wiring.lifecycle;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.storage.cluster.FollowedParts;
import java.util.Set;

/**
 * The features that follow changes of other nodes.
 *
 * @param smallTables notes changed users, roles, tokens or namespaces
 * @param secretsChanged reads the shared keys again
 */
public record FollowedFeatures(
        StoredNaming naming, AccessLifecycle access, Runnable smallTables, Runnable secretsChanged)
        implements FollowedParts {

    @Override
    public void registry() {
        naming.reload();
    }

    @Override
    public void services(Set<ServiceKey> services) {
        naming.reload(services);
    }

    @Override
    public void switches(Set<String> names) {
        naming.reloadSwitches(names);
    }

    @Override
    public void accounts() {
        smallTables.run();
        access.reload();
    }

    @Override
    public void namespaces() {
        // They are read on demand; only the mirror keeps them.
        smallTables.run();
    }

    @Override
    public void secrets() {
        secretsChanged.run();
    }
}
