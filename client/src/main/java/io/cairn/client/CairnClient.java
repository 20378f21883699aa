package io.cairn.client;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.client.config.ConfigClient;
import io.cairn.client.connection.ServerAddress;
import io.cairn.client.internal.ClientParts;
import io.cairn.client.internal.Login;
import io.cairn.client.internal.ServerLink;
import io.cairn.client.internal.SnapshotFolder;
import io.cairn.client.internal.Threads;
import io.cairn.client.naming.NamingClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A client of Cairn, or of any Nacos server from 2.0 on. One is enough for a process and a namespace: it has one
 * connection and at most six daemon threads, whatever is watched. Thread-safe.
 *
 * <pre>{@code
 * try (CairnClient client = CairnClient.builder().servers("10.0.0.5:8848").build()) {
 *     client.configs().watch(client.configs().key("orders.yaml"), content -> apply(content.text()));
 * }
 * }</pre>
 */
public final class CairnClient implements AutoCloseable {

    private static final Duration LAST_WRITES = Duration.ofSeconds(1);
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Threads threads;
    private final ServerLink link;
    private final @Nullable SnapshotFolder snapshots;
    private final Namespace namespace;
    private final ConfigClient configs;
    private final NamingClient naming;
    private final AtomicBoolean closed = new AtomicBoolean();

    private CairnClient(ClientBuilder settings) {
        namespace = settings.namespace();
        int number = COUNT.incrementAndGet();
        threads = new Threads(settings.name() + (number == 1 ? "" : "-" + number));
        Login login = settings.login();
        link = new ServerLink(
                settings.addresses(), settings.addressServers(), settings.setup(), login, threads, settings.timings());
        snapshots = settings.snapshotFolder(threads.control());
        ClientParts parts = new ClientParts(
                namespace,
                link,
                threads,
                snapshots,
                settings.timings().request(),
                settings.emptyLists(),
                settings.holdEmptyLists());
        configs = new ConfigClient(parts);
        naming = new NamingClient(parts);
    }

    public static ClientBuilder builder() {
        return new ClientBuilder();
    }

    /**
     * Starts a client as the builder says.
     *
     * @throws CairnException when it should fail fast and cannot connect; nothing is left behind then
     */
    static CairnClient start(ClientBuilder settings) {
        CairnClient client = new CairnClient(settings);
        CompletableFuture<Void> firstRound = client.link.start();
        CompletableFuture<Void> connected = settings.failsFast() ? client.link.firstConnection() : firstRound;
        try {
            boolean inTime = client.threads.await(connected, settings.startTimeout());
            if (!inTime && settings.failsFast()) {
                throw client.link
                        .lastFailure()
                        .orElseGet(() -> new CairnException(
                                ErrorCode.UNAVAILABLE,
                                "Not connected within "
                                        + settings.startTimeout().toMillis() + " ms"));
            }
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Configurations. */
    public ConfigClient configs() {
        return configs;
    }

    /** Services. */
    public NamingClient naming() {
        return naming;
    }

    /** The namespace of names that do not say theirs. */
    public Namespace namespace() {
        return namespace;
    }

    /** Whether there is a connection just now. */
    public boolean connected() {
        return link.connection() != null;
    }

    /** The servers of the builder, in its order; with address servers those that they have named last. */
    public List<ServerAddress> servers() {
        return link.servers();
    }

    /** Where the client is connected to; empty while it is not. */
    public Optional<ServerAddress> server() {
        return link.server();
    }

    /** Why the last attempt to connect has failed; empty while connected. */
    public Optional<CairnException> problem() {
        return link.connection() != null ? Optional.empty() : link.lastFailure();
    }

    /**
     * Ends the connection, and with it all that was registered over it, and all threads. What waits for an answer fails.
     * Snapshots that are not written yet are, for at most a second. A listener that is being called is not waited for
     * longer than five seconds. Does nothing the second time.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            link.close();
            if (snapshots != null) {
                snapshots.close(LAST_WRITES);
            }
            threads.close();
        }
    }
}
