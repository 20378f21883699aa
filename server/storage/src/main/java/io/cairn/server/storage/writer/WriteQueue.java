package io.cairn.server.storage.writer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The writes that wait for the writer's thread, bounded in number and bytes. */
final class WriteQueue {

    private final StoreWriter.Limits limits;
    private final BlockingQueue<PendingWrite<?>> waiting;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger count = new AtomicInteger();

    WriteQueue(StoreWriter.Limits limits) {
        this.limits = limits;
        this.waiting = new ArrayBlockingQueue<>(limits.queuedCommands());
    }

    /** False when it is full. */
    boolean offer(PendingWrite<?> pending) {
        if (bytes.addAndGet(pending.weight()) > limits.queuedBytes() || !waiting.offer(pending)) {
            bytes.addAndGet(-pending.weight());
            return false;
        }
        count.incrementAndGet();
        return true;
    }

    /** Removes a write for the caller to answer; false when it no longer waits. */
    boolean remove(PendingWrite<?> pending) {
        boolean isRemoved = waiting.remove(pending);
        if (isRemoved) {
            release(pending);
        }
        return isRemoved;
    }

    /** The oldest write, or null. */
    @Nullable
    PendingWrite<?> peek() {
        return waiting.peek();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    int size() {
        return count.get();
    }

    /** Takes one transaction's writes; false without any. A long one is by itself. */
    boolean take(List<PendingWrite<?>> batch) {
        PendingWrite<?> next = waiting.poll();
        if (next == null) {
            return false;
        }
        long taken = 0;
        while (next != null) {
            release(next);
            taken += next.weight();
            batch.add(next);
            if (batch.size() >= limits.batchCommands() || taken >= limits.batchBytes() || next.takesLong()) {
                return true;
            }
            PendingWrite<?> following = waiting.peek();
            if (following != null && following.takesLong()) {
                return true;
            }
            next = waiting.poll();
        }
        return true;
    }

    List<PendingWrite<?>> drain() {
        List<PendingWrite<?>> left = new ArrayList<>();
        waiting.drainTo(left);
        left.forEach(this::release);
        return left;
    }

    private void release(PendingWrite<?> pending) {
        bytes.addAndGet(-pending.weight());
        count.decrementAndGet();
    }
}
