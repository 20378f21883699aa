package io.cairn.server.cluster.routing;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.CheckShare;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The nodes among which clients and checks are divided: the READY ones; without any, such as in the smaller part of a split, all
 * members that do not drain. Until the members are known, this node owns all clients and checks nothing.
 */
public final class OwnerTable implements CheckShare {

    private final NodeId self;
    private final ClientOwnership ownership;
    private volatile Members members = new Members(Map.of(), Map.of());

    private record Members(Map<NodeId, NodeState> states, Map<String, NodeId> owners) {}

    /** @param ownership of this node's address; only this table sets its owners */
    public OwnerTable(NodeId self, ClientOwnership ownership) {
        this.self = self;
        this.ownership = ownership;
    }

    /** Sets the members; returns whether the owners are others than before. */
    synchronized boolean membersAre(Map<NodeId, NodeState> states) {
        Map<String, NodeId> owners = owners(states, state -> state == NodeState.READY);
        if (owners.isEmpty()) {
            owners = owners(states, state -> state != NodeState.DRAINING);
        }
        if (owners.isEmpty()) {
            owners = Map.of(self.address(), self);
        }
        boolean changed = !owners.equals(members.owners());
        members = new Members(Map.copyOf(states), owners);
        if (changed) {
            ownership.ownersAre(owners.keySet());
        }
        return changed;
    }

    /** Of two runs of one node the later counts: the earlier has ended and is about to be excluded. */
    private static Map<String, NodeId> owners(Map<NodeId, NodeState> states, Predicate<NodeState> isOwner) {
        Map<String, NodeId> owners = new HashMap<>();
        states.forEach((id, state) -> {
            if (isOwner.test(state)) {
                owners.merge(id.address(), id, (one, other) -> one.compareTo(other) > 0 ? one : other);
            }
        });
        return owners;
    }

    NodeId ownerOf(InstanceKey instance) {
        String address = ownership.ownerOf(ClientOwnership.clientId(instance));
        NodeId owner = members.owners().get(address);
        return owner == null ? self : owner;
    }

    boolean isOwn(InstanceKey instance) {
        return ownership.isOwn(ClientOwnership.clientId(instance));
    }

    boolean isOwn(String clientId) {
        return ownership.isOwn(clientId);
    }

    NodeId self() {
        return self;
    }

    Set<NodeId> members() {
        return members.states().keySet();
    }

    @Override
    public boolean isOwn(ServiceKey service, InstanceKey instance) {
        return !members.owners().isEmpty() && ownership.isOwnCheck(service, instance);
    }
}
