package io.cairn.server.connection;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the gRPC clients of this node to connect to other nodes while this node is isolated. A client that reaches no other node keeps
 * its connection. Used by one thread.
 */
public final class IsolationMoves {

    /** Clients that are asked in a second; the others have to accept them. */
    static final int PER_SECOND = 200;
    /** Connections that were opened meanwhile are asked after this time: their clients may have just failed to move. */
    static final Duration ROUND = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(IsolationMoves.class);

    private final ConnectionRegistry connections;
    private final Supplier<List<NodeId>> targets;
    private final LongSupplier nanoTime;
    private final Queue<ClientConnection> waiting = new ArrayDeque<>();
    private final Set<ClientConnection> asked = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean isolated;
    private long roundNanos;
    private long secondNanos;
    private int askedInSecond;
    private int askedInAll;
    private int next;

    /** @param targets the nodes that are known to be in service; empty when none is */
    public IsolationMoves(ConnectionRegistry connections, Supplier<List<NodeId>> targets) {
        this(connections, targets, System::nanoTime);
    }

    IsolationMoves(ConnectionRegistry connections, Supplier<List<NodeId>> targets, LongSupplier nanoTime) {
        this.connections = connections;
        this.targets = targets;
        this.nanoTime = nanoTime;
    }

    /** Called with the state of this node when it has changed, and every second; returns at once. */
    public void state(NodeState state) {
        if (state != NodeState.ISOLATED) {
            end(state);
            return;
        }
        long now = nanoTime.getAsLong();
        if (!isolated || (waiting.isEmpty() && now - roundNanos >= ROUND.toNanos())) {
            beginRound(now);
        }
        ask(now);
    }

    private void beginRound(long now) {
        roundNanos = now;
        asked.removeIf(ClientConnection::isClosed);
        for (ClientConnection connection : connections.connections()) {
            if (!asked.contains(connection)) {
                waiting.add(connection);
            }
        }
        if (!isolated) {
            isolated = true;
            secondNanos = now;
            log.info(
                    "This node is isolated: {} clients are asked to move, {} a second, to {}",
                    waiting.size(),
                    PER_SECOND,
                    names(targets.get()));
        }
    }

    private static String names(List<NodeId> nodes) {
        return nodes.isEmpty()
                ? "any other node of their lists"
                : String.join(", ", nodes.stream().map(NodeId::address).toList());
    }

    private void ask(long now) {
        if (now - secondNanos >= Duration.ofSeconds(1).toNanos()) {
            secondNanos = now;
            askedInSecond = 0;
        }
        if (waiting.isEmpty()) {
            return;
        }
        List<NodeId> nodes = targets.get();
        while (askedInSecond < PER_SECOND && !waiting.isEmpty()) {
            ClientConnection connection = waiting.remove();
            if (connection.isClosed()) {
                continue;
            }
            if (nodes.isEmpty()) {
                connections.reset(connection, "", 0);
            } else {
                NodeId target = nodes.get(Math.floorMod(next++, nodes.size()));
                connections.reset(connection, target.host(), target.httpPort());
            }
            asked.add(connection);
            askedInSecond++;
            askedInAll++;
        }
    }

    private void end(NodeState state) {
        if (isolated) {
            log.info(
                    "This node is {} and asks no more clients to move: {} were asked, {} were not",
                    state,
                    askedInAll,
                    waiting.size());
            isolated = false;
            waiting.clear();
            asked.clear();
            askedInAll = 0;
            askedInSecond = 0;
        }
    }
}
