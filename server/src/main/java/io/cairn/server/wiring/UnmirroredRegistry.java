package io.cairn.server.wiring;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.MirroredPublication;
import io.cairn.server.naming.MirroredRegistry;
import io.cairn.server.naming.OwnPublication;
import io.cairn.server.naming.OwnPublications;
import io.cairn.server.node.NodeId;
import org.jspecify.annotations.Nullable;

/** A registry that neither shows what other nodes own nor sends what it owns. To be replaced by the registry itself. */
final class UnmirroredRegistry implements MirroredRegistry, OwnPublications {

    @Override
    public void set(NodeId origin, MirroredPublication publication) {}

    @Override
    public void remove(NodeId origin, MirroredPublication publication) {}

    @Override
    public void hold(NodeId origin, MirroredPublication publication) {}

    @Override
    public void release(NodeId origin, MirroredPublication publication) {}

    @Override
    public boolean isHeld(NodeId origin, MirroredPublication publication) {
        return false;
    }

    @Override
    public void forget(ServiceKey service, InstanceKey instance, long changedAt) {}

    @Override
    public void check(ServiceKey service, InstanceKey instance, boolean healthy) {}

    @Override
    public @Nullable OwnPublication publication(String publisherId, ServiceKey service) {
        return null;
    }
}
