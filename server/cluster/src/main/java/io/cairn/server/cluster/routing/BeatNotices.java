package io.cairn.server.cluster.routing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.cluster.wire.ClusterMessage.Beats;
import io.cairn.server.cluster.wire.ClusterMessage.InstanceOfService;
import io.cairn.server.node.NodeId;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Heartbeats answered here for other owners, gathered for a few milliseconds, each instance once. Does not block. */
final class BeatNotices {

    static final Duration TOGETHER = Duration.ofMillis(10);

    static final int IN_A_MESSAGE = 150;

    /** Further ones are dropped; their clients repeat them, and an owner ends an instance only after several missing heartbeats. */
    static final int MAX_FOR_A_NODE = 20_000;

    private final GroupMessages messages;
    private final Timer timer;
    private final Map<NodeId, Gathered> gathered = new ConcurrentHashMap<>();

    private final class Gathered implements TimerTask {

        private final NodeId owner;

        @GuardedBy("this")
        private Set<InstanceOfService> instances = new LinkedHashSet<>();

        Gathered(NodeId owner) {
            this.owner = owner;
        }

        /** Whether it is the first one since the last message. */
        synchronized boolean add(InstanceOfService instance) {
            return instances.size() < MAX_FOR_A_NODE && instances.add(instance) && instances.size() == 1;
        }

        private synchronized List<InstanceOfService> take() {
            List<InstanceOfService> taken = new ArrayList<>(instances);
            instances = new LinkedHashSet<>();
            return taken;
        }

        @Override
        public void run(Timeout fired) {
            List<InstanceOfService> taken = take();
            for (int i = 0; i < taken.size(); i += IN_A_MESSAGE) {
                List<InstanceOfService> part = taken.subList(i, Math.min(taken.size(), i + IN_A_MESSAGE));
                if (!messages.send(owner, new Beats(part))) {
                    // It takes nothing at present; the next heartbeats are sent again.
                    return;
                }
            }
        }
    }

    BeatNotices(GroupMessages messages, Timer timer) {
        this.messages = messages;
        this.timer = timer;
    }

    void add(NodeId owner, InstanceOfService instance) {
        Gathered all = gathered.computeIfAbsent(owner, Gathered::new);
        if (all.add(instance)) {
            timer.newTimeout(all, TOGETHER.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    void membersAre(Set<NodeId> members) {
        gathered.keySet().retainAll(members);
    }
}
