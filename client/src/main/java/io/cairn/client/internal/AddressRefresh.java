package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.client.connection.ServerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Updates the list of servers from the address servers. An empty response changes nothing. Used on the control thread. */
final class AddressRefresh {

    /** The interval of queries while the client is connected. */
    static final Duration INTERVAL = Duration.ofSeconds(30);

    /** Consecutive lists without the server in use after which the client leaves it; one list may miss a paused server. */
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

    Optional<CairnException> failure() {
        return Optional.ofNullable(failure);
    }

    /** @return whether to leave the server in use, because the list no longer contains it */
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

    /** Queries when the list is empty or every server of the list has failed. */
    void beforeConnecting() {
        boolean needed = servers.all().isEmpty() || !servers.failures().isEmpty();
        if (needed && (!asked || nanoTime.getAsLong() - askedNanos >= NOT_SOONER.toNanos())) {
            refresh(null);
        }
    }
}
