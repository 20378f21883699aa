package io.cairn.server.cluster.visibility;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/** A clock that the test moves, and the alarms that go off meanwhile. */
final class FakeTimer implements ClusterBarrier.Alarm, LongSupplier {

    private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(Task::dueNanos));
    private long now = 1_000;
    private int alarms;

    private record Task(long dueNanos, Runnable work) {}

    @Override
    public void after(long nanos, Runnable task) {
        alarms++;
        tasks.add(new Task(now + nanos, task));
    }

    @Override
    public long getAsLong() {
        return now;
    }

    /** How many alarms were set. */
    int alarms() {
        return alarms;
    }

    void advance(Duration by) {
        long end = now + by.toNanos();
        for (Task first = tasks.peek(); first != null && first.dueNanos() <= end; first = tasks.peek()) {
            tasks.remove();
            now = Math.max(now, first.dueNanos());
            first.work().run();
        }
        now = end;
    }
}
