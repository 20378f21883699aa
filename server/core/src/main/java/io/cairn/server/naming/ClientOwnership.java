package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Decides which node of a cluster owns a client that has no connection, and which one checks a persistent instance. Each node weighs each
 * client and each check, and the node with the largest weight has it. All nodes that know the same members agree without asking, and when
 * a node comes or goes, only the clients change hands that it takes or leaves. A server without others has them all. Thread-safe.
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

    /** @param self the address by which the other nodes know this one */
    public ClientOwnership(String self) {
        this.self = self;
        this.nodes = Nodes.of(List.of(self), self);
    }

    /** The id of the client without a connection that registers this instance. */
    public static String clientId(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#true";
    }

    /** Sets the members of the cluster; this node is one of them, whether it is named or not. */
    public void membersAre(Collection<String> addresses) {
        TreeSet<String> all = new TreeSet<>(addresses);
        all.add(self);
        ownersAre(all);
    }

    /**
     * Sets the nodes that own clients and checks. This node is one of them only if it is named.
     *
     * @param addresses none for this node alone
     */
    public void ownersAre(Collection<String> addresses) {
        nodes = Nodes.of(addresses.isEmpty() ? List.of(self) : addresses, self);
    }

    /** The address of the node that owns the client. */
    public String ownerOf(String clientId) {
        Nodes now = nodes;
        return now.areSelf ? self : now.heaviest(hash(clientId));
    }

    /** Whether this node owns the client. */
    public boolean isOwn(String clientId) {
        return nodes.areSelf || ownerOf(clientId).equals(self);
    }

    /** Whether this node checks the persistent instance; its cluster plays no part. */
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

    /** FNV-1a, which differs in few bits for texts that differ in few; therefore mixed once more. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return mixed(hash);
    }

    /** The finalizer of SplitMix64: every bit of the input has its say in every bit of the result. */
    private static long mixed(long value) {
        long mixed = value;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
