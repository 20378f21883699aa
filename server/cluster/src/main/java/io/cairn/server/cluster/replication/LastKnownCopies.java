package io.cairn.server.cluster.replication;

import io.cairn.api.error.CairnException;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.EntryBatch;
import io.cairn.server.cluster.wire.MalformedMessageException;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.group.CopyMemory;
import io.cairn.server.naming.stored.PacedWriter;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the other nodes' publications over a restart, so that a starting node lists the whole group while the others still start.
 * Each publication is a message with this one entry. Its own thread writes the changes.
 */
public final class LastKnownCopies implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LastKnownCopies.class);

    private final RegistryReplication replication;
    private final CopyMemory memory;
    private final ClusterCodec codec = new ClusterCodec();
    private final PacedWriter<CopyMemory.Key> writer;

    /** To be made before this node joins the group. */
    public LastKnownCopies(RegistryReplication replication, CopyMemory memory) {
        this.replication = replication;
        this.memory = memory;
        this.writer = new PacedWriter<>("cairn-last-known-copies", this::write, memory::close);
        replication.followCopies(writer::changed);
    }

    /**
     * Passes the stored copies to the replication as copies of departed nodes. Call it once, when the copies of the members are
     * here, before clients connect. Blocks.
     *
     * @param isKnownElsewhere whether other nodes know better, so the stored copies are removed
     */
    public void recover(boolean isKnownElsewhere) {
        if (isKnownElsewhere) {
            discard();
        } else {
            int[] held = {0};
            memory.forEach(entry -> held[0] += hold(entry));
            if (held[0] > 0) {
                log.info(
                        "{} publications of other nodes are known from before; their instances are handed out until their"
                                + " clients are back",
                        held[0]);
            }
        }
        writer.start();
    }

    private void discard() {
        try {
            memory.clear();
        } catch (CairnException e) {
            log.warn("{}; they are passed over", e.text());
        }
    }

    /** How many publications the entry has for which this node is needed. */
    private int hold(CopyMemory.Entry entry) {
        byte[] encoded = entry.encoded();
        int held = 0;
        try {
            if (encoded != null && codec.decode(encoded) instanceof ClusterMessage.Orphans orphans) {
                held = replication.holdKnown(orphans.owner(), orphans.entries());
            }
        } catch (MalformedMessageException e) {
            log.warn(
                    "A last-known publication of {} cannot be read ({}); it is left out",
                    entry.key().service(),
                    e.getMessage());
        }
        if (held == 0) {
            writer.changed(entry.key());
        }
        return held;
    }

    private void write(List<CopyMemory.Key> due) {
        List<CopyMemory.Entry> entries = new ArrayList<>(due.size());
        replication.forEachKnown(
                due,
                (key, known) -> entries.add(new CopyMemory.Entry(key, known == null ? null : encoded(key, known))));
        memory.save(entries);
    }

    private static byte[] encoded(CopyMemory.Key key, RegistryEntry known) {
        EntryBatch batch = EntryBatch.ofOrphans();
        batch.add(known);
        return batch.finishOrphans(key.owner(), ClusterMessage.Orphans.NOT_STARTED, 0, true);
    }

    @Override
    public void close() {
        writer.close();
    }
}
