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
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends connections that watch what their users may no longer see, as soon as the accounts say so, and polls and datagrams
 * that do. Their clients connect or ask anew and watch what is left to them. A login that has come to its end ends nothing: the
 * user has his rights still, and a client that lost its connection for it would lose what it has registered. Thread-safe.
 */
public final class WatchRevocation {

    private static final Logger log = LoggerFactory.getLogger(WatchRevocation.class);

    private final Accounts accounts;
    private final ConnectionRegistry connections;
    private final ConfigListeners listeners;
    private final Supplier<UdpSubscribers> datagrams;
    private final Clock clock;
    private long checkedMillis;

    /** @param datagrams those who hear of services by datagrams */
    public WatchRevocation(
            Accounts accounts,
            ConnectionRegistry connections,
            ConfigListeners listeners,
            Supplier<UdpSubscribers> datagrams,
            Clock clock) {
        this.accounts = accounts;
        this.connections = connections;
        this.listeners = listeners;
        this.datagrams = datagrams;
        this.clock = clock;
        this.checkedMillis = clock.millis();
    }

    /** Looks at everybody if a token has come to its end since this was called last; otherwise nothing has changed by time. */
    public synchronized void checkExpired() {
        long now = clock.millis();
        if (accounts.hasExpiredBetween(checkedMillis, now)) {
            check();
        }
        checkedMillis = now;
    }

    /** Looks at all connections, each on its event loop, at polls that are parked and at those who hear by datagrams. */
    public void check() {
        listeners.endUnless(this::maySee);
        datagrams.get().endUnless(this::maySee);
        for (ClientConnection connection : connections.connections()) {
            if (connection.watcher() != null) {
                try {
                    connection.loop().execute(() -> check(connection));
                } catch (RejectedExecutionException e) {
                    log.debug("The event loop of {} has ended", connection.id(), e);
                }
            }
        }
    }

    private void check(ClientConnection connection) {
        Principal before = connection.watcher();
        if (before == null || connection.isClosed()) {
            return;
        }
        Principal now = accounts.present(before, clock.millis());
        if (now == null) {
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

    /** What matches a pattern is not known here, so whatever was taken away counts. */
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
