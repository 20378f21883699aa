package io.cairn.server.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeOperations;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks surplus gRPC clients to move to nodes with fewer, once the members have been the same for a while, or on an operator's
 * request. Each node divides its own surplus among the nodes below the average in proportion to what they lack, so together they do
 * not send more than is lacking. Returns at once.
 */
public final class Rebalancing {

    /** A smaller excess stays, unless an operator sets the tolerance. */
    static final int FEWEST = 3;

    /** Limited, because the others have to accept them. */
    static final int PER_SECOND = 100;

    /** After the last wave, until the reports of other nodes count the arrivals. */
    static final Duration SETTLE = Duration.ofSeconds(5);

    /** After these rounds without effect, the clients seem to know no other node. */
    static final int FRUITLESS = 3;

    private static final Logger log = LoggerFactory.getLogger(Rebalancing.class);

    private final ConnectionRegistry connections;
    private final NodeId self;
    private final boolean isAutomatic;
    private final Duration calm;
    private final LongSupplier nanoTime;

    /** The members of the last call; the first call counts as a change. */
    @GuardedBy("this")
    private Map<NodeId, NodeState> members = Map.of();

    @GuardedBy("this")
    private Map<NodeId, Long> loads = Map.of();

    @GuardedBy("this")
    private long changedNanos;

    /** The node for each further client. */
    @GuardedBy("this")
    private final Queue<NodeId> targets = new ArrayDeque<>();

    @GuardedBy("this")
    private long lastWaveNanos;

    @GuardedBy("this")
    private int fruitless;

    /** This node's clients before the last round, and those to move; 0 before the first. */
    @GuardedBy("this")
    private int before;

    @GuardedBy("this")
    private int surplus;

    /**
     * @param isAutomatic whether to act without an operator
     * @param calm time without a change of members before
     */
    public Rebalancing(ConnectionRegistry connections, NodeId self, boolean isAutomatic, Duration calm) {
        this(connections, self, isAutomatic, calm, System::nanoTime);
    }

    Rebalancing(
            ConnectionRegistry connections, NodeId self, boolean isAutomatic, Duration calm, LongSupplier nanoTime) {
        this.connections = connections;
        this.self = self;
        this.isAutomatic = isAutomatic;
        this.calm = calm;
        this.nanoTime = nanoTime;
        this.changedNanos = nanoTime.getAsLong();
        this.lastWaveNanos = changedNanos - SETTLE.toNanos();
    }

    /**
     * Called with each change of the members, and every second.
     *
     * @param states of all members, with this node
     * @param clients of other nodes in service
     */
    public synchronized void members(Map<NodeId, NodeState> states, Map<NodeId, Long> clients) {
        long now = nanoTime.getAsLong();
        loads = Map.copyOf(clients);
        if (!members.equals(states)) {
            members = Map.copyOf(states);
            changedNanos = now;
            fruitless = 0;
            surplus = 0;
            if (!targets.isEmpty()) {
                log.info(
                        "Rebalancing ends: the members have changed; {} clients were not asked to move",
                        targets.size());
                targets.clear();
            }
        }
        if (!targets.isEmpty()) {
            wave(now);
        } else if (isAutomatic
                && members.get(self) == NodeState.READY
                && now - changedNanos >= calm.toNanos()
                && now - lastWaveNanos >= SETTLE.toNanos()) {
            check(now);
        }
    }

    @GuardedBy("this")
    private void check(long now) {
        if (surplus > 0) {
            boolean hadEffect = before - connections.size() >= (surplus + 1) / 2;
            fruitless = hadEffect ? 0 : fruitless + 1;
            surplus = 0;
            if (fruitless == FRUITLESS) {
                log.info(
                        "Rebalancing ends: clients that were asked to move stay; they may know no other node. It begins again"
                                + " when a member changes");
            }
        }
        if (fruitless < FRUITLESS) {
            begin(NodeOperations.TOLERANCE, FEWEST, now);
        }
    }

    /**
     * Begins at once, on an operator's request.
     *
     * @param tolerance the permitted fraction above the average
     * @return the clients of this node to move
     */
    public synchronized int begin(double tolerance) {
        if (members.get(self) != NodeState.READY) {
            return 0;
        }
        fruitless = 0;
        surplus = 0;
        targets.clear();
        return begin(tolerance, 1, nanoTime.getAsLong());
    }

    @GuardedBy("this")
    private int begin(double tolerance, int fewest, long now) {
        int own = connections.size();
        long all = own;
        for (long each : loads.values()) {
            all += each;
        }
        double average = (double) all / (loads.size() + 1);
        if (loads.isEmpty() || own <= average * (1 + tolerance) || own - average < fewest) {
            return 0;
        }
        Map<NodeId, Integer> shares = shares((int) (own - Math.ceil(average)), average);
        int moves = shares.values().stream().mapToInt(Integer::intValue).sum();
        if (moves == 0) {
            return 0;
        }
        before = own;
        surplus = moves;
        enqueue(shares);
        log.info(
                "Rebalancing: {} of {} clients are asked to move, {} a second, to {}; the average of {} nodes is {}",
                moves,
                own,
                PER_SECOND,
                shares,
                loads.size() + 1,
                Math.round(average));
        wave(now);
        return moves;
    }

    /** Divides clients among the nodes below the average, in proportion to what they lack, in an order shared by all nodes. */
    @GuardedBy("this")
    private Map<NodeId, Integer> shares(int clients, double average) {
        double lacking = 0;
        Map<NodeId, Long> inOrder = new TreeMap<>(loads);
        for (long load : inOrder.values()) {
            lacking += Math.max(0, average - load);
        }
        Map<NodeId, Integer> shares = new LinkedHashMap<>();
        double soFar = 0;
        int given = 0;
        for (Map.Entry<NodeId, Long> each : inOrder.entrySet()) {
            if (each.getValue() < average) {
                soFar += average - each.getValue();
                int upTo = (int) Math.round(Math.min(clients, lacking) * soFar / lacking);
                if (upTo > given) {
                    shares.put(each.getKey(), upTo - given);
                    given = upTo;
                }
            }
        }
        return shares;
    }

    /** In turn, so that each wave is spread over the nodes. */
    @GuardedBy("this")
    private void enqueue(Map<NodeId, Integer> shares) {
        Map<NodeId, Integer> left = new LinkedHashMap<>(shares);
        while (!left.isEmpty()) {
            for (Iterator<Map.Entry<NodeId, Integer>> each = left.entrySet().iterator(); each.hasNext(); ) {
                Map.Entry<NodeId, Integer> share = each.next();
                targets.add(share.getKey());
                share.setValue(share.getValue() - 1);
                if (share.getValue() == 0) {
                    each.remove();
                }
            }
        }
    }

    /** A further call within the second, after a change of a state, waits for the next. */
    @GuardedBy("this")
    private void wave(long now) {
        if (now - lastWaveNanos < Duration.ofMillis(900).toNanos()) {
            return;
        }
        lastWaveNanos = now;
        Iterator<ClientConnection> clients = connections.connections().iterator();
        for (int asked = 0; asked < PER_SECOND && !targets.isEmpty(); asked++) {
            ClientConnection client = next(clients);
            if (client == null) {
                targets.clear();
                return;
            }
            NodeId target = targets.remove();
            connections.reset(client, target.host(), target.httpPort(), MoveReason.REBALANCING);
        }
    }

    /** A client not asked in the last minute, or null. */
    private static @Nullable ClientConnection next(Iterator<ClientConnection> clients) {
        while (clients.hasNext()) {
            ClientConnection each = clients.next();
            if (!each.isClosed() && !each.isAskedToMove()) {
                return each;
            }
        }
        return null;
    }
}
