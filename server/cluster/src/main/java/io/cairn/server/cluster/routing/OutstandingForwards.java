package io.cairn.server.cluster.routing;

import io.cairn.server.cluster.wire.ClusterMessage.Forward;
import io.cairn.server.cluster.wire.ClusterMessage.Forwarded;
import io.cairn.server.node.NodeId;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Forwarded requests that wait for answers, bounded for each node. Does not block. */
final class OutstandingForwards {

    /** More than that wait for a node only when it does not answer. */
    static final int MAX_FOR_A_NODE = 2_000;

    private final GroupMessages messages;
    private final Timer timer;
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, Outstanding> outstanding = new ConcurrentHashMap<>();
    private final Map<NodeId, AtomicInteger> counts = new ConcurrentHashMap<>();
    private volatile boolean closed;

    private final class Outstanding implements TimerTask {

        private final long id;
        private final NodeId to;
        private final AtomicInteger count;
        private final CompletableFuture<Optional<Forwarded.Result>> result = new CompletableFuture<>();
        private volatile @Nullable Timeout timeout;

        Outstanding(long id, NodeId to, AtomicInteger count) {
            this.id = id;
            this.to = to;
            this.count = count;
        }

        @Override
        public void run(Timeout fired) {
            if (take()) {
                result.complete(Optional.empty());
            }
        }

        boolean take() {
            if (!outstanding.remove(id, this)) {
                return false;
            }
            count.decrementAndGet();
            Timeout running = timeout;
            if (running != null) {
                running.cancel();
            }
            return true;
        }
    }

    OutstandingForwards(GroupMessages messages, Timer timer) {
        this.messages = messages;
        this.timer = timer;
    }

    /**
     * Forwards the request.
     *
     * @return the owner's result; empty after the time limit, when the owner leaves, and at once when too many requests wait for it
     */
    CompletableFuture<Optional<Forwarded.Result>> send(NodeId to, Forward.Write write, Duration within) {
        AtomicInteger count = counts.computeIfAbsent(to, first -> new AtomicInteger());
        if (count.incrementAndGet() > MAX_FOR_A_NODE || closed) {
            count.decrementAndGet();
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Outstanding each = new Outstanding(ids.incrementAndGet(), to, count);
        outstanding.put(each.id, each);
        each.timeout = timer.newTimeout(each, within.toNanos(), TimeUnit.NANOSECONDS);
        if (!messages.send(to, new Forward(each.id, List.of(write))) && each.take()) {
            each.result.complete(Optional.empty());
        }
        return each.result;
    }

    void sendWithoutAnswer(NodeId to, List<Forward.Write> writes) {
        // A node that does not get them asks again after the next heartbeats.
        messages.send(to, new Forward(ids.incrementAndGet(), writes));
    }

    void answered(NodeId from, Forwarded answer) {
        Outstanding each = outstanding.get(answer.id());
        if (each != null && each.to.equals(from) && each.take()) {
            each.result.complete(
                    answer.results().size() == 1 ? Optional.of(answer.results().get(0)) : Optional.empty());
        }
    }

    /**
     * Ends the waits for departed members.
     *
     * @return tasks that complete them, which may be slow
     */
    List<Runnable> membersAre(Set<NodeId> members) {
        List<Runnable> ends = new ArrayList<>();
        for (Outstanding each : outstanding.values()) {
            if (!members.contains(each.to) && each.take()) {
                ends.add(() -> each.result.complete(Optional.empty()));
            }
        }
        counts.keySet().retainAll(members);
        return ends;
    }

    void close() {
        closed = true;
        membersAre(Set.of()).forEach(Runnable::run);
    }

    int size() {
        return outstanding.size();
    }
}
