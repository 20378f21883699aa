package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.client.connection.ServerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Keeps the list of servers in step with what address servers say. An answer without servers changes nothing. Used on the control thread. */
final class AddressRefresh {

    /** How often address servers are asked while there is a connection. */
    static final Duration INTERVAL = Duration.ofSeconds(30);

    /** A server that is not in the list so many times in a row is left: once may be a pause of that server. */
    static final int MISSING_TO_LEAVE = 2;

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final Duration NOT_SOONER = Duration.ofSeconds(1);

    private final ServerList servers;
    private final AddressServers source;
    private final LongSupplier nanoTime;
    private @Nullable CairnException failure;
    private boolean asked;
    private long askedNanos;
    private int missing;

    AddressRefresh(ServerList servers, AddressServers source, LongSupplier nanoTime) {
        this.servers = servers;
        this.source = source;
        this.nanoTime = nanoTime;
    }

    /** Why the last attempt has brought no list; empty when it has brought one. */
    Optional<CairnException> failure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Asks.
     *
     * @param used the server that the client is connected to; null for none
     * @return whether the client is to leave that server, as it is not in the list any more
     */
    boolean refresh(@Nullable ServerAddress used) {
        asked = true;
        askedNanos = nanoTime.getAsLong();
        List<ServerAddress> now;
        try {
            now = source.fetch();
        } catch (CairnException e) {
            LOG.log(
                    failure == null ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    "The list of servers stays as it is: " + e.getMessage());
            failure = e;
            return false;
        }
        failure = null;
        if (servers.replace(now)) {
            LOG.log(System.Logger.Level.INFO, "The servers are {0}", now);
        }
        missing = used == null || now.contains(used) ? 0 : missing + 1;
        if (missing < MISSING_TO_LEAVE) {
            return false;
        }
        missing = 0;
        return true;
    }

    /** Asks before an attempt to connect: when there is no list yet, or none of its servers can be used. */
    void beforeConnecting() {
        boolean needed = servers.all().isEmpty() || !servers.failures().isEmpty();
        if (needed && (!asked || nanoTime.getAsLong() - askedNanos >= NOT_SOONER.toNanos())) {
            refresh(null);
        }
    }
}
