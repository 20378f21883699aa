package io.cairn.server.rpc;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.push.Watched;
import io.cairn.server.subscription.Selection;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends connections that watch what their users may no longer see, as soon as the accounts say so. Their clients connect
 * anew and watch what is left to them. Thread-safe.
 */
public final class WatchRevocation {

    private static final Logger log = LoggerFactory.getLogger(WatchRevocation.class);

    private final Accounts accounts;
    private final ConnectionRegistry connections;

    public WatchRevocation(Accounts accounts, ConnectionRegistry connections) {
        this.accounts = accounts;
        this.connections = connections;
    }

    /** Looks at all connections, each on its event loop. */
    public void check() {
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
        Principal now = accounts.present(before);
        if (now == null) {
            connection.drop("what it has shown of '" + before.name() + "' is good no more");
        } else if (connection.watchesPatterns() && !now.isAdmin() && hasLost(before, now)
                || !connection.watching().stream().allMatch(watched -> maySee(now, watched))) {
            connection.drop("'" + before.name() + "' may no longer see all that it watches");
        } else {
            connection.watchedBy(now, false);
        }
    }

    /** What matches a pattern is not known here, so whatever was taken away counts. */
    private static boolean hasLost(Principal before, Principal now) {
        return before.isAdmin() || !now.permissions().containsAll(before.permissions());
    }

    private static boolean maySee(Principal principal, Watched<?> watched) {
        if (watched.key() instanceof ConfigKey key) {
            return principal.mayRead(key);
        }
        return !(watched.key() instanceof Selection selection) || principal.mayRead(selection.service());
    }
}
