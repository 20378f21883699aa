package io.cairn.server.rpc;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When accounts change, closes connections whose users lost the right to something watched, and ends such polls and UDP
 * subscriptions. Their clients reconnect and watch the rest. An expired login closes nothing: the user keeps its rights, and the
 * client would lose its registrations. The end of the last token of an issuer's caller closes its connection.
 */
public final class WatchRevocation {

    private static final Logger log = LoggerFactory.getLogger(WatchRevocation.class);

    private final Accounts accounts;
    private final ConnectionRegistry connections;
    private final ConfigListeners listeners;
    private final UdpSubscribers datagrams;
    private final Clock clock;
    private final List<Runnable> others = new CopyOnWriteArrayList<>();
    private long checkedMillis;

    /** @param datagrams clients with UDP pushes */
    public WatchRevocation(
            Accounts accounts,
            ConnectionRegistry connections,
            ConfigListeners listeners,
            UdpSubscribers datagrams,
            Clock clock) {
        this.accounts = accounts;
        this.connections = connections;
        this.listeners = listeners;
        this.datagrams = datagrams;
        this.clock = clock;
        this.checkedMillis = clock.millis();
    }

    /** Adds a check of watches over other protocols. */
    public void checkAlso(Runnable other) {
        others.add(other);
    }

    /**
     * A watching connection whose caller has sent a newer token of its issuer. Closes it if the new token permits less than what the
     * connection watches.
     */
    public void renewed(ClientConnection connection, Principal now) {
        if (now.equals(connection.watcher()) || connection.isClosed()) {
            return;
        }
        onLoop(connection, () -> {
            Principal before = connection.watcher();
            if (before != null && now.renews(before) && !connection.isClosed()) {
                decide(connection, before, now, clock.millis());
            }
        });
    }

    /** Checks what depends on a token that has expired since the last call; time changes nothing else. */
    public synchronized void checkExpired() {
        long now = clock.millis();
        if (accounts.hasIssuedExpired(now)) {
            endExpired(now);
        }
        if (accounts.hasExpiredBetween(checkedMillis, now)) {
            check();
        }
        checkedMillis = now;
    }

    /** Checks all connections, each on its event loop, parked polls, and clients with UDP pushes. */
    public void check() {
        listeners.endUnless(this::maySee);
        datagrams.endUnless(this::maySee);
        others.forEach(Runnable::run);
        for (ClientConnection connection : connections.connections()) {
            if (connection.watcher() != null) {
                onLoop(connection, () -> check(connection));
            }
        }
    }

    /** Checks only callers of issuers, and of these only whether they have expired. */
    private void endExpired(long nowMillis) {
        listeners.endUnless((before, watched) -> !before.hasExpired(nowMillis));
        datagrams.endUnless((before, watched) -> !before.hasExpired(nowMillis));
        others.forEach(Runnable::run);
        for (ClientConnection connection : connections.connections()) {
            Principal watcher = connection.watcher();
            if (watcher != null && watcher.hasExpired(nowMillis)) {
                onLoop(connection, () -> check(connection));
            }
        }
    }

    private static void onLoop(ClientConnection connection, Runnable task) {
        try {
            connection.loop().execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended", connection.id(), e);
        }
    }

    private void check(ClientConnection connection) {
        Principal before = connection.watcher();
        if (before == null || connection.isClosed()) {
            return;
        }
        decide(connection, before, accounts.present(before, clock.millis()), clock.millis());
    }

    private static void decide(ClientConnection connection, Principal before, @Nullable Principal now, long nowMillis) {
        if (now == null && before.hasExpired(nowMillis)) {
            connection.dropExpired("the last token of '" + before.name() + "' has expired");
        } else if (now == null) {
            connection.drop("what it has shown of '" + before.name() + "' is good no more");
        } else if (connection.watchesPatterns() && !now.isAdmin() && hasLost(before, now)
                || !connection.watching().stream().allMatch(watched -> mayReadIt(now, watched))) {
            connection.drop("'" + before.name() + "' may no longer see all that it watches");
        } else {
            connection.watchedBy(now, false);
        }
    }

    private boolean maySee(Principal before, WatchedKey<?> watched) {
        Principal now = accounts.present(before, clock.millis());
        return now != null && mayReadIt(now, watched);
    }

    /** The matches of a pattern are unknown here, so the loss of any permission counts. */
    private static boolean hasLost(Principal before, Principal now) {
        return before.isAdmin() || !now.permissions().containsAll(before.permissions());
    }

    private static boolean mayReadIt(Principal principal, WatchedKey<?> watched) {
        if (watched.key() instanceof ConfigKey key) {
            return principal.mayRead(key);
        }
        return !(watched.key() instanceof Selection selection) || principal.mayRead(selection.service());
    }
}
