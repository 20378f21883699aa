package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A source of instances: a gRPC connection, an HTTP client, or the store, of this node or of another one. It owns the instances that
 * it has published: when it ends, all of them are removed. Thread-safe.
 *
 * <p>Lock order: the lock of a publisher is taken before that of a {@link ServiceEntry} and before that of a {@link Lease},
 * never after one of them. A thread holds the lock of one publisher at a time.
 */
public final class Publisher {

    /** The condition under which the instances of a publisher stay registered. */
    public enum Kind {
        /** A long connection, for as long as it is open. */
        CONNECTION,
        /** Beats over HTTP. */
        HTTP,
        /** The store, until they are deregistered. */
        PERSISTENT,
        /**
         * The memory of a server that was restarted, or of a connection that was asked to move, until the clients of the instances are
         * back or the recovery window ends.
         */
        RECOVERED
    }

    private final String id;
    private final @Nullable NodeId origin;
    private final Client client;
    /** Written with this object's lock held, read without it. */
    private volatile Kind kind;

    /** Immutable while there is at most one: most publishers have one service. */
    @GuardedBy("this")
    private Map<ServiceKey, Publication> publications = Map.of();

    @GuardedBy("this")
    private boolean closed;

    private volatile long lastUpdatedMillis;
    /** Written with this object's lock held, read without it. */
    private volatile int instances;

    /**
     * The client behind it, as far as it is known.
     *
     * @param port 0 where the client has none of its own
     * @param version name and version of its SDK; empty when not known
     */
    public record Client(String ip, int port, String app, String version) {}

    Publisher(String id, Kind kind, Client client, long nowMillis) {
        this(null, id, kind, client, nowMillis);
    }

    /** @param origin the node that it belongs to; null for this one */
    Publisher(@Nullable NodeId origin, String id, Kind kind, Client client, long nowMillis) {
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
    void become(Kind now) {
        kind = now;
    }

    /** The node of the cluster that it belongs to; null for this one. */
    public @Nullable NodeId origin() {
        return origin;
    }

    /** Whether it belongs to this node. */
    public boolean isOwn() {
        return origin == null;
    }

    public Client client() {
        return client;
    }

    public boolean isEphemeral() {
        return kind != Kind.PERSISTENT;
    }

    /** When it last registered or deregistered something, in epoch milliseconds. */
    public long lastUpdatedMillis() {
        return lastUpdatedMillis;
    }

    void touch(long nowMillis) {
        lastUpdatedMillis = nowMillis;
    }

    /** The services it has published instances of. */
    public synchronized List<ServiceKey> services() {
        return new ArrayList<>(publications.keySet());
    }

    /** How many instances it has published. */
    public int instances() {
        return instances;
    }

    @GuardedBy("this")
    void counted(int more) {
        int now = instances + more;
        instances = now;
    }

    /** Whether it is an ended connection whose instances are kept. */
    boolean isLeft() {
        synchronized (this) {
            return closed && kind == Kind.RECOVERED;
        }
    }

    @GuardedBy("this")
    boolean isClosed() {
        return closed;
    }

    @GuardedBy("this")
    void close() {
        closed = true;
    }

    @Nullable
    @GuardedBy("this")
    Publication publication(ServiceKey service) {
        return publications.get(service);
    }

    @GuardedBy("this")
    @SuppressWarnings("ReferenceEquality") // this publication, not one like it
    void put(ServiceKey service, Publication publication) {
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

    @Nullable
    @GuardedBy("this")
    Publication remove(ServiceKey service) {
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
    boolean isEmpty() {
        return publications.isEmpty();
    }

    @GuardedBy("this")
    Map<ServiceKey, Publication> takeAll() {
        Map<ServiceKey, Publication> all = publications;
        publications = Map.of();
        return all;
    }
}
