package io.cairn.server.xds;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.limit.LogLines;
import io.cairn.server.mesh.MeshProxy;
import io.cairn.server.xds.stream.ClientText;
import io.cairn.server.xds.stream.RefusalReason;
import io.cairn.server.xds.stream.XdsNode;
import io.cairn.server.xds.stream.XdsStream;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients refused in the last ten minutes, for operators: the last refusal of each client and reason, at most {@value #MOST}.
 * Logs each client and reason once a minute, at most {@value #LINES_A_MINUTE} lines a minute.
 */
public final class RefusedClients {

    /** How long a client is listed after its last refusal. */
    static final long KEPT_MILLIS = TimeUnit.MINUTES.toMillis(10);

    /** Beyond that, the oldest refusals are dropped. */
    static final int MOST = 500;

    static final int LINES_A_MINUTE = 30;
    private static final long MINUTE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private static final Logger log = LoggerFactory.getLogger(RefusedClients.class);

    private final Clock clock;

    /** In order of the last refusal. */
    @GuardedBy("this")
    private final Map<Key, Refused> clients = new LinkedHashMap<>();

    @GuardedBy("this")
    private long refusals;

    private final LogLines lines;

    private record Key(String ip, String nodeId, String namespaceId, RefusalReason reason) {}

    /**
     * @param id in lists
     * @param address with port
     * @param node null for an unidentified client
     * @param loggedMillis time of the last line
     */
    public record Refused(
            String id,
            String address,
            boolean delta,
            @Nullable XdsNode node,
            String user,
            String state,
            String why,
            long atMillis,
            long loggedMillis) {

        /** @param server the address of this node */
        MeshProxy shown(String server) {
            return new MeshProxy(
                    id,
                    node == null ? "" : node.id(),
                    node == null ? "" : node.cluster(),
                    address,
                    server,
                    node == null ? "" : node.agent(),
                    node == null ? "" : node.flavour().shortName(),
                    delta ? "delta" : "sotw",
                    node == null ? "" : node.namespace().id(),
                    user,
                    node == null || node.tag() == null ? "" : node.tag(),
                    atMillis,
                    state,
                    0,
                    null,
                    why,
                    List.of());
        }
    }

    public RefusedClients(Clock clock) {
        this.clock = clock;
        this.lines = new LogLines(LINES_A_MINUTE, clock);
    }

    /**
     * Notes a refused or ended stream.
     *
     * @param node the client's description, or null
     */
    public void note(XdsStream stream, @Nullable XdsNode node, RefusalReason reason, String why) {
        String state = reason.state();
        if (state == null) {
            return;
        }
        String address = XdsStream.addressOf(stream.call());
        Key key = new Key(
                XdsStream.ipOf(stream.call()),
                node == null ? "" : node.id(),
                node == null ? "" : node.namespace().id(),
                reason);
        long now = clock.millis();
        long unlogged;
        synchronized (this) {
            forget(now);
            Refused before = clients.remove(key);
            boolean isDue = before == null || now - before.loggedMillis() >= MINUTE_MILLIS;
            unlogged = isDue ? lines.next() : lines.leaveOut();
            clients.put(
                    key,
                    new Refused(
                            before == null ? "refused-" + ++refusals + "_" + stream.id() : before.id(),
                            address,
                            stream.isDelta(),
                            node == null ? null : node.withoutToken(),
                            stream.principal().isSomebody() ? stream.principal().toString() : "",
                            state,
                            why,
                            now,
                            unlogged != LogLines.NONE || before == null ? now : before.loggedMillis()));
            if (clients.size() > MOST) {
                clients.remove(clients.keySet().iterator().next());
            }
        }
        if (unlogged != LogLines.NONE) {
            log.warn(
                    "A mesh client is refused ({}): {} at {}, namespace '{}': {}{}",
                    reason.tag(),
                    node == null ? "a client without a node" : node,
                    address,
                    node == null ? "" : ClientText.shown(node.namespace().id()),
                    ClientText.shown(why),
                    unlogged == 0 ? "" : " (and " + unlogged + " refusals without a line before)");
        }
    }

    @GuardedBy("this")
    private void forget(long now) {
        Collection<Refused> oldestFirst = clients.values();
        oldestFirst.removeIf(each -> now - each.atMillis() > KEPT_MILLIS);
    }

    /** Within ten minutes. */
    synchronized List<Refused> recent() {
        forget(clock.millis());
        return new ArrayList<>(clients.values());
    }

    public synchronized @Nullable Refused find(String id) {
        for (Refused each : clients.values()) {
            if (each.id().equals(id)) {
                return each;
            }
        }
        return null;
    }
}
