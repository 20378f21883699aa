package io.cairn.server.http.envelope;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.admission.MemoryLease;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Written and unsent bytes of a response, kept in parts to avoid copies. They count in the memory budget beyond the size of a small
 * response. For one thread at a time.
 */
final class JsonBuffer extends OutputStream {

    private static final int FIRST_PART_BYTES = 1024;
    private static final int LARGEST_PART_BYTES = 128 * 1024;

    private final MemoryLease lease;
    private final ArrayDeque<byte[]> full = new ArrayDeque<>(4);
    private byte[] last = new byte[FIRST_PART_BYTES];
    private int lastLength;
    private int firstOffset;
    private long size;
    private boolean mustCount;

    JsonBuffer(MemoryLease lease) {
        this.lease = lease;
    }

    /** The memory of the rows written here. */
    MemoryLease lease() {
        return lease;
    }

    long size() {
        return size;
    }

    /** From now on all bytes are kept, with or without room: a part of the response was sent. */
    void mustCount() {
        mustCount = true;
    }

    @Override
    public void write(int b) {
        if (lastLength == last.length) {
            addPart();
        }
        last[lastLength++] = (byte) b;
        size++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int from = offset;
        int left = length;
        while (left > 0) {
            if (lastLength == last.length) {
                addPart();
            }
            int some = Math.min(left, last.length - lastLength);
            System.arraycopy(bytes, from, last, lastLength, some);
            lastLength += some;
            from += some;
            left -= some;
        }
        size += length;
    }

    private void addPart() {
        int bytes = Math.min(LARGEST_PART_BYTES, 2 * last.length);
        count(size + bytes);
        full.add(last);
        last = new byte[bytes];
        lastLength = 0;
    }

    /** Counts bytes beyond the size of a small response. */
    private void count(long bytes) {
        if (bytes <= MemoryBudget.SMALL_BYTES) {
            return;
        }
        if (!mustCount) {
            lease.cover(bytes);
        } else if (bytes > lease.taken()) {
            lease.adjustTo(bytes);
        }
    }

    /** Reduces the count to the kept bytes. */
    void settle() {
        lease.adjustTo(size <= MemoryBudget.SMALL_BYTES ? 0 : size);
    }

    void takeLast() {
        size--;
        lastLength--;
    }

    /** Removes and returns up to that many first bytes. */
    byte[] poll(int most) {
        byte[] out = new byte[(int) Math.min(most, size)];
        int at = 0;
        while (at < out.length) {
            byte[] first = full.isEmpty() ? last : full.element();
            int length = full.isEmpty() ? lastLength : first.length;
            int some = Math.min(out.length - at, length - firstOffset);
            System.arraycopy(first, firstOffset, out, at, some);
            at += some;
            firstOffset += some;
            if (firstOffset == length) {
                firstOffset = 0;
                if (full.isEmpty()) {
                    lastLength = 0;
                } else {
                    full.remove();
                }
            }
        }
        size -= out.length;
        return out;
    }

    byte[] pollAll() {
        return full.isEmpty() && firstOffset == 0 ? pollOnly() : poll(Integer.MAX_VALUE);
    }

    private byte[] pollOnly() {
        byte[] out = Arrays.copyOf(last, lastLength);
        lastLength = 0;
        size = 0;
        return out;
    }
}
