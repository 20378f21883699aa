package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.EntryBatch;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The copies of departed nodes, and their transfer to members. Changed with the lock of the members, read without. */
final class DepartedCopies {

    private static final Logger log = LoggerFactory.getLogger(DepartedCopies.class);

    private final Map<NodeId, PeerCopy> copies = new ConcurrentHashMap<>();
    private final Function<NodeId, PeerCopy> newCopy;

    DepartedCopies(Function<NodeId, PeerCopy> newCopy) {
        this.newCopy = newCopy;
    }

    void add(PeerCopy copy) {
        copies.put(copy.owner(), copy);
    }

    /** Removes the copy of a node that is a member now, or returns null. */
    @Nullable
    PeerCopy remove(NodeId owner) {
        return copies.remove(owner);
    }

    int holdKnown(NodeId owner, List<RegistryEntry> entries) {
        return copies.computeIfAbsent(owner, newCopy).holdKnown(entries);
    }

    void orphans(NodeId sender, ClusterMessage.Orphans orphans) {
        copies.computeIfAbsent(orphans.owner(), newCopy).orphans(sender, orphans);
    }

    /** A dead node's last changes may have reached some members only. */
    static void comparePositions(List<PeerCopy> departed, Collection<Peer> members) {
        for (PeerCopy copy : departed) {
            for (Peer peer : members) {
                peer.offer(new ClusterMessage.DepartedPosition(copy.owner(), copy.position()));
            }
        }
    }

    void compare(Peer sender, ClusterMessage.DepartedPosition theirs) {
        PeerCopy copy = copies.get(theirs.owner());
        if (copy == null) {
            // This node has not seen the departure, and will send its own position then; or it has no copy.
            return;
        }
        long own = copy.position();
        if (own > theirs.sequence()) {
            PeerCopy.Kept kept = copy.kept(theirs.sequence());
            if (!kept.entries().isEmpty()) {
                send(sender, copy.owner(), messages(copy.owner(), kept));
            }
        } else if (own < theirs.sequence()) {
            sender.offer(new ClusterMessage.DepartedPosition(copy.owner(), own));
        }
    }

    /** Sends all copies to joining nodes, the last departed node last: a node that waits for it has the others by then. */
    void sendTo(List<Peer> joining) {
        copies.values().stream()
                .sorted(Comparator.comparingLong(PeerCopy::departedNanos))
                .forEach(copy -> {
                    List<byte[]> messages = messages(copy.owner(), copy.kept(OwnLog.START));
                    joining.forEach(peer -> send(peer, copy.owner(), messages));
                });
    }

    private static void send(Peer peer, NodeId owner, List<byte[]> messages) {
        if (!peer.lane().offerBulk(messages)) {
            log.warn(
                    "{} gets nothing of the instances that are kept of {}, because too much waits for it; it lists them when"
                            + " their clients are elsewhere",
                    peer.id(),
                    owner);
        }
    }

    private static List<byte[]> messages(NodeId owner, PeerCopy.Kept kept) {
        List<byte[]> messages = new ArrayList<>();
        EntryBatch batch = EntryBatch.ofOrphans();
        for (RegistryEntry entry : kept.entries()) {
            if (!batch.add(entry)) {
                messages.add(batch.finishOrphans(owner, kept.ageMillis(), messages.size(), false));
                batch = EntryBatch.ofOrphans();
                batch.add(entry);
            }
        }
        messages.add(batch.finishOrphans(owner, kept.ageMillis(), messages.size(), true));
        return messages;
    }

    void removeOver() {
        copies.values().removeIf(PeerCopy::isOver);
    }

    boolean isEmpty() {
        return copies.isEmpty();
    }

    /** Whether another node's copy of a departed node may still arrive. */
    boolean isAnyWanted() {
        return copies.values().stream().anyMatch(PeerCopy::isWanted);
    }

    long count() {
        return copies.values().stream()
                .mapToLong(copy -> copy.summary().count())
                .sum();
    }

    Map<NodeId, PeerCopy> byOwner() {
        return Map.copyOf(copies);
    }
}
