package io.cairn.server.naming.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A source of instances: a gRPC connection, an HTTP client, or the store, of any node. Its end removes its instances.
 *
 * <p>Lock order: this lock precedes the locks of a {@link ServiceEntry} and a {@link Lease}. A thread holds one publisher's lock at a
 * time.
 */
public final class Publisher {

    /** When the instances of a publisher end. */
    public enum Kind {
        /** A connection, until it closes. */
        CONNECTION,
        /** Heartbeats over HTTP. */
        HTTP,
        /** The store, until they are deregistered. */
        PERSISTENT,
        /** The memory of a restarted server or a moved connection, until the clients return or the recovery window ends. */
        RECOVERED
    }

    private final String id;
    private final @Nullable NodeId origin;
    private final Client client;
    /** Written with this lock held, read without it. */
    private volatile Kind kind;

    /** Immutable with at most one: most publishers have one service. */
    @GuardedBy("this")
    private Map<ServiceKey, Publication> publications = Map.of();

    @GuardedBy("this")
    private boolean closed;

    private volatile long lastUpdatedMillis;
    /** Written with this lock held, read without it. */
    private volatile int instances;

    /**
     * @param port 0 if unknown
     * @param version name and version of its SDK, or empty
     */
    public record Client(String ip, int port, String app, String version) {}

    public Publisher(String id, Kind kind, Client client, long nowMillis) {
        this(null, id, kind, client, nowMillis);
    }

    /** @param origin its node; null for this one */
    public Publisher(@Nullable NodeId origin, String id, Kind kind, Client client, long nowMillis) {
        this.origin = origin;
        this.id = id;
        this.kind = kind;
        this.client = client;
        this.lastUpdatedMillis = nowMillis;
    }

    /** A connection id, or {@code ip:port#true} over HTTP, or {@code ip:port#false} for a persistent instance. */
    public String id() {
        return id;
    }

    public Kind kind() {
        return kind;
    }

    @GuardedBy("this")
    public void become(Kind now) {
        kind = now;
    }

    /** Null for this node. */
    public @Nullable NodeId origin() {
        return origin;
    }

    public boolean isOwn() {
        return origin == null;
    }

    public Client client() {
        return client;
    }

    public boolean isEphemeral() {
        return kind != Kind.PERSISTENT;
    }

    /** The last registration or deregistration, in epoch milliseconds. */
    public long lastUpdatedMillis() {
        return lastUpdatedMillis;
    }

    public void touch(long nowMillis) {
        lastUpdatedMillis = nowMillis;
    }

    public synchronized List<ServiceKey> services() {
        return new ArrayList<>(publications.keySet());
    }

    public int instances() {
        return instances;
    }

    @GuardedBy("this")
    public void counted(int more) {
        int now = instances + more;
        instances = now;
    }

    /** Whether its connection has ended and its instances are kept. */
    public boolean isLeft() {
        synchronized (this) {
            return closed && kind == Kind.RECOVERED;
        }
    }

    @GuardedBy("this")
    public boolean isClosed() {
        return closed;
    }

    @GuardedBy("this")
    public void close() {
        closed = true;
    }

    @GuardedBy("this")
    public @Nullable Publication publication(ServiceKey service) {
        return publications.get(service);
    }

    @GuardedBy("this")
    @SuppressWarnings("ReferenceEquality") // this publication, not one like it
    public void put(ServiceKey service, Publication publication) {
        if (publications.get(service) == publication) {
            return;
        }
        if (publications.isEmpty() || publications.size() == 1 && publications.containsKey(service)) {
            publications = Map.of(service, publication);
            return;
        }
        if (publications.size() == 1) {
            publications = new LinkedHashMap<>(publications);
        }
        publications.put(service, publication);
    }

    @GuardedBy("this")
    public @Nullable Publication remove(ServiceKey service) {
        Publication removed = publications.get(service);
        if (removed != null) {
            if (publications.size() > 2) {
                publications.remove(service);
            } else {
                Map<ServiceKey, Publication> left = new LinkedHashMap<>(publications);
                left.remove(service);
                publications = Map.copyOf(left);
            }
        }
        return removed;
    }

    @GuardedBy("this")
    public boolean isEmpty() {
        return publications.isEmpty();
    }

    @GuardedBy("this")
    Map<ServiceKey, Publication> takeAll() {
        Map<ServiceKey, Publication> all = publications;
        publications = Map.of();
        return all;
    }
}
