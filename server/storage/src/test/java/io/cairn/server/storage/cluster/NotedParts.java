package io.cairn.server.storage.cluster;

import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes what is read again. Thread-safe. */
public class NotedParts implements FollowedParts {

    /** The names of the parts, and what was named, in order. */
    public final List<Object> noted = new CopyOnWriteArrayList<>();

    @Override
    public void registry() {
        noted.add("registry");
    }

    @Override
    public void services(Set<ServiceKey> services) {
        noted.addAll(services);
    }

    @Override
    public void switches(Set<String> names) {
        noted.addAll(names);
    }

    @Override
    public void accounts() {
        noted.add("accounts");
    }

    @Override
    public void namespaces() {
        noted.add("namespaces");
    }

    @Override
    public void secrets() {
        noted.add("secrets");
    }
}
