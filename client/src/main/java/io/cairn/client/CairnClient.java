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
 * A client of Cairn, or of a Nacos server of version 2.0 or newer. An application needs one client per namespace. A client
 * has one connection and at most six daemon threads. Thread-safe.
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
                namespace, link, threads, snapshots, settings.timings().request());
        configs = new ConfigClient(parts);
        naming = new NamingClient(parts, settings.emptyLists(), settings.holdEmptyLists());
    }

    public static ClientBuilder builder() {
        return new ClientBuilder();
    }

    /** @throws CairnException when the client must fail fast and cannot connect */
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

    public ConfigClient configs() {
        return configs;
    }

    public NamingClient naming() {
        return naming;
    }

    /** The namespace for keys without an explicit namespace. */
    public Namespace namespace() {
        return namespace;
    }

    public boolean connected() {
        return link.connection() != null;
    }

    /** The number of connections so far. After an increase, a server may be without the clients that it had before. */
    public long connections() {
        return link.connections();
    }

    /** The configured servers, in their order, or the last list from the address servers. */
    public List<ServerAddress> servers() {
        return link.servers();
    }

    /** The server in use; empty while the client is disconnected. */
    public Optional<ServerAddress> server() {
        return link.server();
    }

    /** The reason why the last attempt to connect failed; empty while the client is connected. */
    public Optional<CairnException> problem() {
        return link.connection() != null ? Optional.empty() : link.lastFailure();
    }

    /**
     * Closes the connection and ends all threads; the server removes the instances registered over the connection. Pending
     * requests fail. Waits up to 1 s for snapshots to be written, and up to 5 s for a running listener.
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
