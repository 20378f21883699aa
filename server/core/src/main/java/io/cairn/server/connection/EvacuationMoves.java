package io.cairn.server.connection;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks gRPC clients to move while this node is isolated or drains, in waves of one second, each to the node with the fewest
 * clients. A client that reaches no other node keeps its connection. An isolated node that the others take for dead hurries,
 * because they keep its clients' instances for seconds only. For one thread.
 */
public final class EvacuationMoves {

    /** The wave of an isolated node. */
    static final int ISOLATED_PER_SECOND = 200;
    /** After this time later connections are asked: their clients may have just failed to move. */
    static final Duration ROUND = Duration.ofSeconds(30);
    /** As {@link #ROUND}, for a node taken for dead: within the 15 s in which the others keep its instances. */
    static final Duration HURRIED_ROUND = Duration.ofSeconds(5);
    /** As {@link #ROUND}, for a draining node, which repeats the request to remaining clients before its stop. */
    static final Duration DRAIN_ROUND = Duration.ofSeconds(8);

    private static final Logger log = LoggerFactory.getLogger(EvacuationMoves.class);

    private final ConnectionRegistry connections;
    private final Supplier<Map<NodeId, Long>> targets;
    private final BooleanSupplier isTakenForDead;
    private final int drainRate;
    private final LongSupplier nanoTime;
    private final LeastLoaded leastLoaded = new LeastLoaded();
    private final Queue<ClientConnection> waiting = new ArrayDeque<>();
    private final Set<ClientConnection> asked = Collections.newSetFromMap(new IdentityHashMap<>());
    private @Nullable NodeState moving;
    private long roundNanos;
    private long secondNanos;
    private int askedInSecond;
    private int askedInAll;

    /**
     * @param targets known nodes in service with the number of their clients
     * @param isTakenForDead whether this node is isolated and no other node can know that it is alive
     * @param drainRate clients asked in a second by a node that drains or is taken for dead
     */
    public EvacuationMoves(
            ConnectionRegistry connections,
            Supplier<Map<NodeId, Long>> targets,
            BooleanSupplier isTakenForDead,
            int drainRate) {
        this(connections, targets, isTakenForDead, drainRate, System::nanoTime);
    }

    EvacuationMoves(
            ConnectionRegistry connections,
            Supplier<Map<NodeId, Long>> targets,
            BooleanSupplier isTakenForDead,
            int drainRate,
            LongSupplier nanoTime) {
        this.connections = connections;
        this.targets = targets;
        this.isTakenForDead = isTakenForDead;
        this.drainRate = drainRate;
        this.nanoTime = nanoTime;
    }

    /** Called with each change of this node's state, and every second; returns at once. */
    public void state(NodeState state) {
        if (state != moving) {
            end(state);
        }
        if (state != NodeState.ISOLATED && state != NodeState.DRAINING) {
            return;
        }
        long now = nanoTime.getAsLong();
        boolean drains = state == NodeState.DRAINING;
        boolean hurries = isTakenForDead.getAsBoolean();
        int perSecond = drains || hurries ? drainRate : ISOLATED_PER_SECOND;
        Duration round = drains ? DRAIN_ROUND : hurries ? HURRIED_ROUND : ROUND;
        if (moving == null || (waiting.isEmpty() && now - roundNanos >= round.toNanos())) {
            beginRound(state, perSecond, now);
        }
        ask(now, perSecond);
    }

    private void beginRound(NodeState state, int perSecond, long now) {
        roundNanos = now;
        asked.removeIf(connection -> connection.isClosed() || state == NodeState.DRAINING);
        leastLoaded.clear();
        for (ClientConnection connection : connections.connections()) {
            if (!asked.contains(connection)) {
                waiting.add(connection);
            }
        }
        if (moving == null) {
            moving = state;
            secondNanos = now;
            log.info(
                    "This node is {}: {} clients are asked to move, {} a second, to {}",
                    state,
                    waiting.size(),
                    perSecond,
                    names(targets.get()));
        } else if (state == NodeState.DRAINING && !waiting.isEmpty()) {
            log.info("This node is {}: {} clients are still connected, and are asked to move", state, waiting.size());
        }
    }

    private static String names(Map<NodeId, Long> nodes) {
        return nodes.isEmpty()
                ? "any other node of their lists"
                : String.join(", ", nodes.keySet().stream().map(NodeId::address).toList());
    }

    private void ask(long now, int perSecond) {
        if (now - secondNanos >= Duration.ofSeconds(1).toNanos()) {
            secondNanos = now;
            askedInSecond = 0;
        }
        if (waiting.isEmpty()) {
            return;
        }
        leastLoaded.nodesAre(targets.get());
        MoveReason reason = moving == NodeState.ISOLATED ? MoveReason.ISOLATED : MoveReason.DRAINING;
        while (askedInSecond < perSecond && !waiting.isEmpty()) {
            ClientConnection connection = waiting.remove();
            if (connection.isClosed()) {
                continue;
            }
            NodeId target = leastLoaded.next();
            if (target == null) {
                connections.reset(connection, "", 0, reason);
            } else {
                connections.reset(connection, target.host(), target.httpPort(), reason);
            }
            asked.add(connection);
            askedInSecond++;
            askedInAll++;
        }
    }

    private void end(NodeState next) {
        if (moving != null) {
            log.info(
                    "This node is {}, no longer {}: {} requests to move were sent, {} clients were not asked",
                    next,
                    moving,
                    askedInAll,
                    waiting.size());
            moving = null;
            waiting.clear();
            asked.clear();
            askedInAll = 0;
            askedInSecond = 0;
        }
    }
}
