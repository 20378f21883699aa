package io.cairn.server.cluster.wire;

import io.cairn.server.node.NodeId;

/**
 * A message with as many entries as fit, written one by one, so that no entry is encoded twice. An entry that is too long by itself
 * is its own message, to be sent in {@linkplain ClusterCodec#pieces pieces}.
 */
public final class EntryBatch {

    /** The bound of a message's bytes beside its entries; an address has up to 255 characters. */
    private static final int OWN_FIELDS = 400;

    private final FieldWriter out;
    private final EntryFields.Writer entries;
    private int count;

    private EntryBatch(int kind) {
        this.out = ClusterCodec.start(kind, 1024);
        this.entries = new EntryFields.Writer(out);
    }

    public static EntryBatch ofDelta() {
        return new EntryBatch(ClusterCodec.DELTA);
    }

    public static EntryBatch ofSnapshot() {
        return new EntryBatch(ClusterCodec.SNAPSHOT);
    }

    public static EntryBatch ofOrphans() {
        return new EntryBatch(ClusterCodec.ORPHANS);
    }

    /** Adds the entry; false when it does not fit and is left out. */
    public boolean add(RegistryEntry entry) {
        boolean added = entries.add(entry, count == 0 ? Integer.MAX_VALUE : ClusterCodec.MAX_BYTES - OWN_FIELDS);
        count += added ? 1 : 0;
        return added;
    }

    public int count() {
        return count;
    }

    public byte[] finishDelta(long stream, long incarnation, long from, long to) {
        MessageFields.writeDelta(out, stream, incarnation, from, to);
        return out.toBytes();
    }

    public byte[] finishSnapshot(long stream, long incarnation, int part, boolean last, long at, long endsSince) {
        MessageFields.writeSnapshot(out, stream, incarnation, part, last, at, endsSince);
        return out.toBytes();
    }

    public byte[] finishOrphans(NodeId owner, long age, int part, boolean last) {
        MessageFields.writeOrphans(out, owner, age, part, last);
        return out.toBytes();
    }
}
