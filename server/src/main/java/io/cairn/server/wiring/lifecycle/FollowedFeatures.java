package io.cairn.server.wiring.lifecycle;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.storage.FollowedParts;
import java.util.Set;

/**
 * The features that follow changes of other nodes.
 *
 * @param smallTables notes that users, roles, tokens or namespaces have changed
 * @param secretsChanged reads the keys that nodes share again
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
        // They are read whenever one is needed; the mirror alone keeps them.
        smallTables.run();
    }

    @Override
    public void secrets() {
        secretsChanged.run();
    }
}
