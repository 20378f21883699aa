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
 * Asks the surplus of this node's gRPC clients to connect to nodes that have fewer, once the members of the group have been the same for a
 * while, or when an operator says so. All nodes do so by the same rule: each divides its own surplus among the nodes below the average, in
 * proportion to what they lack, so that together they do not send more than is lacking. Thread-safe; returns at once.
 */
public final class Rebalancing {

    /** A node that is above the average by fewer clients than this keeps them, unless an operator names the tolerance. */
    static final int FEWEST = 3;

    /** Clients that are asked in a second; the others have to accept them. */
    static final int PER_SECOND = 100;

    /** After the last wave the reports of the other nodes need this time to count the clients that have arrived. */
    static final Duration SETTLE = Duration.ofSeconds(5);

    /** So many rounds without effect are the last ones: the clients know no other node. */
    static final int FRUITLESS = 3;

    private static final Logger log = LoggerFactory.getLogger(Rebalancing.class);

    private final ConnectionRegistry connections;
    private final NodeId self;
    private final boolean isAutomatic;
    private final Duration calm;
    private final LongSupplier nanoTime;

    /** The members with their states as they were last; those of the first call are a change. */
    @GuardedBy("this")
    private Map<NodeId, NodeState> members = Map.of();

    @GuardedBy("this")
    private Map<NodeId, Long> loads = Map.of();

    @GuardedBy("this")
    private long changedNanos;

    /** The node for each client that is still to be asked. */
    @GuardedBy("this")
    private final Queue<NodeId> targets = new ArrayDeque<>();

    @GuardedBy("this")
    private long lastWaveNanos;

    @GuardedBy("this")
    private int fruitless;

    /** How many clients this node had before the last round, and how many of them were to move; 0 before the first round. */
    @GuardedBy("this")
    private int before;

    @GuardedBy("this")
    private int surplus;

    /**
     * @param isAutomatic whether to act without an operator
     * @param calm for how long the members must have been the same before
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
     * Called with the members when one has changed, and every second.
     *
     * @param states of all members, this node among them
     * @param clients of the other nodes in service
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
            look(now);
        }
    }

    @GuardedBy("this")
    private void look(long now) {
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
     * Begins now, whatever the members have been, as an operator asks.
     *
     * @param tolerance by how much a node may be above the average
     * @return how many clients of this node are asked to move
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

    /** Divides clients among the nodes below the average, in proportion to what they lack; all nodes go through them in one order. */
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

    /** A wave may be called again within its second, after a change of a state; it waits for the next second then. */
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

    /** A client that was not asked in the last minute; null when there is none. */
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
