package io.cairn.server.timer;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Items that become due, with times in ticks, for one thread. Each wheel has {@value #SLOTS} slots. The first wheel turns by a
 * slot at each tick, each further wheel at every {@value #TIMES_SLOWER}th turn of its predecessor. An item stays in a slot of the
 * fastest wheel that reaches its time. So a distant item is late by at most a sixtieth of its delay. Adding and removing take
 * constant time.
 *
 * <p>The timers of Linux since 4.8 work alike (kernel/time/timer.c).
 */
final class TimingWheels {

    static final int SLOTS = 256;
    static final int TIMES_SLOWER = 4;
    private static final int COUNT = 8;
    private static final int SHIFT = Integer.numberOfTrailingZeros(TIMES_SLOWER);
    private static final int MASK = SLOTS - 1;

    private final @Nullable Item[][] slots = new @Nullable Item[COUNT][SLOTS];
    private final BitSet[] occupied = new BitSet[COUNT];
    private long done;

    abstract static class Item {

        private int place = -1;
        private @Nullable Item before;
        private @Nullable Item after;

        /** The tick from which on it is due; never negative. */
        abstract long dueTick();

        boolean isPlaced() {
            return place >= 0;
        }
    }

    TimingWheels() {
        for (int wheel = 0; wheel < COUNT; wheel++) {
            occupied[wheel] = new BitSet(SLOTS);
        }
    }

    void add(Item item) {
        long due = Math.max(item.dueTick(), done + 1);
        long ahead = due - done;
        int wheel = 0;
        while (wheel < COUNT - 1 && ahead >> (wheel * SHIFT) >= SLOTS - 1) {
            wheel++;
        }
        int shift = wheel * SHIFT;
        long turn = (due + (1L << shift) - 1) >> shift;
        // The slowest wheel places an item beyond its reach again after one turn.
        int slot = (int) Math.min(turn, (done >> shift) + SLOTS) & MASK;
        Item first = slots[wheel][slot];
        item.place = wheel * SLOTS + slot;
        item.after = first;
        if (first == null) {
            occupied[wheel].set(slot);
        } else {
            first.before = item;
        }
        slots[wheel][slot] = item;
    }

    void remove(Item item) {
        Item before = item.before;
        Item after = item.after;
        if (before == null) {
            int wheel = item.place / SLOTS;
            int slot = item.place & MASK;
            slots[wheel][slot] = after;
            if (after == null) {
                occupied[wheel].clear(slot);
            }
        } else {
            before.after = after;
        }
        if (after != null) {
            after.before = before;
        }
        item.before = null;
        item.after = null;
        item.place = -1;
    }

    long tick() {
        return done;
    }

    void advance(long tick, List<Item> due) {
        long last = done;
        done = tick;
        for (int wheel = 0; wheel < COUNT; wheel++) {
            int shift = wheel * SHIFT;
            long to = tick >> shift;
            for (long turn = Math.max(last >> shift, to - SLOTS) + 1; turn <= to; turn++) {
                empty(wheel, (int) turn & MASK, due);
            }
        }
    }

    private void empty(int wheel, int slot, List<Item> due) {
        Item item = slots[wheel][slot];
        slots[wheel][slot] = null;
        occupied[wheel].clear(slot);
        while (item != null) {
            Item after = item.after;
            item.before = null;
            item.after = null;
            item.place = -1;
            if (item.dueTick() <= done) {
                due.add(item);
            } else {
                add(item);
            }
            item = after;
        }
    }

    void drainTo(List<Item> all) {
        for (int wheel = 0; wheel < COUNT; wheel++) {
            for (int slot = occupied[wheel].nextSetBit(0); slot >= 0; slot = occupied[wheel].nextSetBit(slot + 1)) {
                for (Item item = slots[wheel][slot]; item != null; item = slots[wheel][slot]) {
                    remove(item);
                    all.add(item);
                }
            }
        }
    }

    long nextTick() {
        long next = Long.MAX_VALUE;
        for (int wheel = 0; wheel < COUNT; wheel++) {
            if (!occupied[wheel].isEmpty()) {
                long turn = done >> (wheel * SHIFT);
                int following = (int) (turn + 1) & MASK;
                int slot = occupied[wheel].nextSetBit(following);
                if (slot < 0) {
                    slot = occupied[wheel].nextSetBit(0);
                }
                next = Math.min(next, (turn + 1 + ((slot - following) & MASK)) << (wheel * SHIFT));
            }
        }
        return next;
    }
}
