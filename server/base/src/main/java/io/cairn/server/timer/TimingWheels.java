package io.cairn.server.timer;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Items that become due, with times in ticks. There are several wheels of {@value #SLOTS} slots each; the first turns by a slot at
 * each tick, and each further one at every {@value #TIMES_SLOWER}th turn of the one before. An item lies in one slot of
 * the fastest wheel that reaches as far, and stays there: what is far off is due at coarser moments, together with others,
 * and at most a sixtieth of its delay late. Adding and removing take the same time however many there are.
 *
 * <p>The idea is that of the timers of Linux since 4.8 (kernel/time/timer.c). For one thread at a time.
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

    /** An item that becomes due. It is in one slot at a time, whose items are chained. */
    abstract static class Item {

        private int place = -1;
        private @Nullable Item before;
        private @Nullable Item after;

        /** From which tick on it is due; never negative. */
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

    /** Takes an item that is in no slot. What is due already is so at the next tick. */
    void add(Item item) {
        long due = Math.max(item.dueTick(), done + 1);
        long ahead = due - done;
        int wheel = 0;
        while (wheel < COUNT - 1 && ahead >> (wheel * SHIFT) >= SLOTS - 1) {
            wheel++;
        }
        int shift = wheel * SHIFT;
        long turn = (due + (1L << shift) - 1) >> shift;
        // An item beyond the reach of the slowest wheel is placed again after one turn of that wheel.
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

    /** Takes the item out of its slot. */
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

    /** How far it has gone on. */
    long tick() {
        return done;
    }

    /** Goes on to that tick, a later one, and moves what is due by then into the list. */
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

    /** Moves everything into the list. */
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

    /** The tick at which the next item may be due; {@link Long#MAX_VALUE} where there is none. */
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
