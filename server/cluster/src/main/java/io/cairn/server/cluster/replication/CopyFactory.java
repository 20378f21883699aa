package io.cairn.server.cluster.replication;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.CopyMemory;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the copies of one registry, and follows what happens to them. */
final class CopyFactory implements PeerCopy.Events {

    private static final Logger log = LoggerFactory.getLogger(CopyFactory.class);

    private final MirroredRegistry registry;
    private final ClusterClock clock;
    private final RecentDeregistrations deregistrations;
    private final Function<String, Duration> window;
    private final LongSupplier runNanos;
    private final LongAdder diverged = new LongAdder();
    private volatile @Nullable Consumer<CopyMemory.Key> follower;

    /**
     * @param window how long instances of a departed node are kept, by the SDK of their client
     * @param runNanos the run time of this node
     */
    CopyFactory(
            MirroredRegistry registry,
            ClusterClock clock,
            RecentDeregistrations deregistrations,
            Function<String, Duration> window,
            LongSupplier runNanos) {
        this.registry = registry;
        this.clock = clock;
        this.deregistrations = deregistrations;
        this.window = window;
        this.runNanos = runNanos;
    }

    PeerCopy newCopy(NodeId owner) {
        return new PeerCopy(owner, registry, clock, deregistrations, window, runNanos, this);
    }

    /** @param changes receives the name of each changed publication; may take a leaf lock, must return at once */
    void follow(Consumer<CopyMemory.Key> changes) {
        follower = changes;
    }

    long diverged() {
        return diverged.sum();
    }

    @Override
    public void diverged(NodeId owner) {
        diverged.increment();
        log.warn(
                "The copy of what {} owns had another digest at the same number of changes; it is sent again whole",
                owner);
    }

    @Override
    public void changed(NodeId owner, String publisherId, ServiceKey service) {
        Consumer<CopyMemory.Key> changes = follower;
        if (changes != null) {
            changes.accept(new CopyMemory.Key(owner, publisherId, service));
        }
    }
}
