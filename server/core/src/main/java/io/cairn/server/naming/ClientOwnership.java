package io.cairn.server.naming;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Which node of a cluster answers for a client that has no connection: each node weighs every client, and the one that
 * gives it most has it. All nodes that know the same members agree without asking, and when one comes or goes, only the
 * clients that it takes or leaves change hands. Alone, a node has them all. Thread-safe.
 */
public final class ClientOwnership {

    private final String self;
    private volatile Nodes nodes;

    private record Nodes(List<String> addresses, long[] seeds) {

        static Nodes of(Collection<String> addresses) {
            List<String> sorted = List.copyOf(new TreeSet<>(addresses));
            return new Nodes(
                    sorted, sorted.stream().mapToLong(ClientOwnership::hash).toArray());
        }
    }

    /** @param self the address by which the other nodes know this one */
    public ClientOwnership(String self) {
        this.self = self;
        this.nodes = Nodes.of(List.of(self));
    }

    /** Takes over who is in the cluster; this node is, whether it is named or not. */
    public void membersAre(Collection<String> addresses) {
        TreeSet<String> all = new TreeSet<>(addresses);
        all.add(self);
        nodes = Nodes.of(all);
    }

    /** Whether this node knows of no other. */
    public boolean isAlone() {
        return nodes.seeds.length == 1;
    }

    /** The address of the node that answers for the client. */
    public String ownerOf(String clientId) {
        Nodes now = nodes;
        if (now.seeds.length == 1) {
            return self;
        }
        long client = hash(clientId);
        int best = 0;
        long most = Long.MIN_VALUE;
        for (int i = 0; i < now.seeds.length; i++) {
            long weight = mixed(client ^ now.seeds[i]);
            if (weight > most) {
                most = weight;
                best = i;
            }
        }
        return now.addresses.get(best);
    }

    /** Whether this node answers for the client. */
    public boolean isOwn(String clientId) {
        return nodes.seeds.length == 1 || ownerOf(clientId).equals(self);
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
