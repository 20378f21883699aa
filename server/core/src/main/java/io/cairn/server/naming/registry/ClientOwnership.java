package io.cairn.server.naming.registry;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Selects a client's owner, and the node that checks a persistent instance: the one with the largest weight. All nodes with the
 * same members agree without messages, and a change of members moves only the clients concerned. A single server has all.
 */
public final class ClientOwnership {

    private final String self;
    private volatile Nodes nodes;

    private record Nodes(List<String> addresses, long[] seeds, boolean areSelf) {

        static Nodes of(Collection<String> addresses, String self) {
            List<String> sorted = List.copyOf(new TreeSet<>(addresses));
            return new Nodes(
                    sorted, sorted.stream().mapToLong(ClientOwnership::hash).toArray(), sorted.equals(List.of(self)));
        }

        String heaviest(long subject) {
            int best = 0;
            long most = Long.MIN_VALUE;
            for (int i = 0; i < seeds.length; i++) {
                long weight = mixed(subject ^ seeds[i]);
                if (weight > most) {
                    most = weight;
                    best = i;
                }
            }
            return addresses.get(best);
        }
    }

    /** @param self this node's address for other nodes */
    public ClientOwnership(String self) {
        this.self = self;
        this.nodes = Nodes.of(List.of(self), self);
    }

    public String self() {
        return self;
    }

    /** The client that registers this instance. */
    public static String clientId(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#true";
    }

    /** Sets the members; this node is always one. */
    public void membersAre(Collection<String> addresses) {
        TreeSet<String> all = new TreeSet<>(addresses);
        all.add(self);
        ownersAre(all);
    }

    /**
     * Sets the owners of clients and checks, with this node only if named.
     *
     * @param addresses empty for this node alone
     */
    public void ownersAre(Collection<String> addresses) {
        nodes = Nodes.of(addresses.isEmpty() ? List.of(self) : addresses, self);
    }

    public String ownerOf(String clientId) {
        Nodes now = nodes;
        return now.areSelf ? self : now.heaviest(hash(clientId));
    }

    public boolean isOwn(String clientId) {
        return nodes.areSelf || ownerOf(clientId).equals(self);
    }

    /** The cluster of the instance plays no part. */
    public boolean isOwnCheck(ServiceKey service, InstanceKey instance) {
        Nodes now = nodes;
        return now.areSelf || now.heaviest(hashOfCheck(service, instance)).equals(self);
    }

    private static long hashOfCheck(ServiceKey service, InstanceKey instance) {
        long hash = hash(service.namespace().id());
        hash = mixed(hash ^ hash(service.group()));
        hash = mixed(hash ^ hash(service.name()));
        hash = mixed(hash ^ hash(instance.ip()));
        return mixed(hash ^ instance.port());
    }

    /** FNV-1a differs in few bits for similar texts, so mix it once more. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return mixed(hash);
    }

    /** The finalizer of SplitMix64: every input bit affects every output bit. */
    private static long mixed(long value) {
        long mixed = value;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
