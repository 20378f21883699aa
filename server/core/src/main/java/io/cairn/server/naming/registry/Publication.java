package io.cairn.server.naming.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.server.naming.UnhealthyCause;
import io.cairn.server.naming.view.RegisteredInstance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A publisher's instances of a service. The service's lock protects their change; reads are lock-free. The publisher's lock
 * protects the lease.
 *
 * <p>Another node's publication stays encoded until a read, and is replaced when its owner publishes again.
 */
public final class Publication {

    private static final RegisteredInstance[] NONE = {};

    private final Publisher publisher;
    private final @Nullable MirroredPublication source;
    /** Null while encoded. Written with the service's lock held, see {@link #replace}. */
    private volatile RegisteredInstance @Nullable [] registered;
    /** Written with the locks of publisher and service held. */
    private volatile long publishedAt;
    /** Written with the service's lock held. */
    private volatile boolean owned;
    /** Written with the publisher's lock held. */
    private volatile boolean held;
    /** Written with the service's lock held. */
    private volatile boolean returned;
    /** Guarded by the service's lock. */
    private boolean listed;

    @GuardedBy("publisher")
    private @Nullable Lease lease;

    /** Of this node. */
    public Publication(Publisher publisher) {
        this.publisher = publisher;
        this.source = null;
        this.registered = NONE;
        this.owned = publisher.kind() != Publisher.Kind.RECOVERED;
    }

    /** @param held whether it has no owner */
    public Publication(Publisher publisher, MirroredPublication source, boolean held) {
        this.publisher = publisher;
        this.source = source;
        this.publishedAt = source.publishedAt();
        this.held = held;
        this.owned = !held && source.publisher().kind() != Publisher.Kind.RECOVERED;
    }

    public Publisher publisher() {
        return publisher;
    }

    /** As sent by another node; null for this node's. */
    public @Nullable MirroredPublication source() {
        return source;
    }

    public RegisteredInstance[] registered() {
        RegisteredInstance[] known = registered;
        if (known == null) {
            throw new IllegalStateException(
                    "The instances that " + publisher.id() + " has published are still encoded");
        }
        return known;
    }

    public boolean isEncoded() {
        return registered == null;
    }

    /** Known while encoded. */
    public int size() {
        RegisteredInstance[] known = registered;
        return known != null
                ? known.length
                : source == null ? 0 : source.instances().size();
    }

    public List<Instance> decode() {
        return source == null ? List.of() : source.instances().decode();
    }

    /** For decoded instances only. */
    public boolean names(InstanceKey instance) {
        for (RegisteredInstance each : registered()) {
            if (each.published().key().equals(instance)) {
                return true;
            }
        }
        return false;
    }

    boolean says(List<Instance> published) {
        RegisteredInstance[] known = registered();
        if (known.length != published.size()) {
            return false;
        }
        for (int i = 0; i < known.length; i++) {
            if (!known[i].published().equals(published.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether both came from other nodes with the same instances, this one with an owner. */
    boolean wasSentAs(Publication other) {
        return owned
                && source != null
                && other.source != null
                && source.instances().equals(other.source.instances());
    }

    /**
     * Returns whether any has changed.
     *
     * @param service as for {@link #replace}
     * @param instance null for all
     * @param cause null if healthy
     */
    public boolean setHealthy(
            Object lock,
            @Nullable InstanceKey instance,
            boolean healthy,
            long nowMillis,
            @Nullable UnhealthyCause cause) {
        RegisteredInstance[] now = registered().clone();
        boolean differs = false;
        for (int i = 0; i < now.length; i++) {
            Instance published = now[i].published();
            if ((instance == null || published.key().equals(instance)) && published.healthy() != healthy) {
                now[i] = now[i].withHealthy(healthy, nowMillis, cause);
                differs = true;
            }
        }
        if (differs) {
            replace(lock, now);
        }
        return differs;
    }

    /** @param lock that of the service, which the caller holds */
    public void replace(Object lock, RegisteredInstance[] now) {
        assert Thread.holdsLock(lock)
                : "instances of " + publisher.id() + " are replaced without the lock of their service";
        registered = now;
    }

    /** The later of two publications of an instance has the higher one. */
    public long publishedAt() {
        return publishedAt;
    }

    /** @param lock as for {@link #replace} */
    public void publishedAt(Object lock, long now) {
        assert Thread.holdsLock(lock)
                : "a publication of " + publisher.id() + " is changed without the lock of its service";
        publishedAt = now;
    }

    /**
     * Whether its client is known to be alive. Else it is shown until another publication names its instances, or the window ends.
     */
    public boolean isOwned() {
        return owned;
    }

    /** @param lock as for {@link #replace} */
    public void disown(Object lock) {
        assert Thread.holdsLock(lock)
                : "a publication of " + publisher.id() + " is changed without the lock of its service";
        owned = false;
    }

    /** Whether it has ended instances listed without their client. */
    public boolean isReturned() {
        return returned;
    }

    /** @param lock as for {@link #replace} */
    public void returned(Object lock) {
        assert Thread.holdsLock(lock)
                : "a publication of " + publisher.id() + " is changed without the lock of its service";
        returned = true;
    }

    /** Guarded by the service's lock, which the caller holds. */
    boolean isListed() {
        return listed;
    }

    /** @param lock as for {@link #replace} */
    public void listed(Object lock, boolean now) {
        assert Thread.holdsLock(lock)
                : "a publication of " + publisher.id() + " is changed without the lock of its service";
        listed = now;
    }

    /** Whether its node left the group, or transferred its client. */
    public boolean isHeld() {
        return held;
    }

    public void hold() {
        assert Thread.holdsLock(publisher) : "a publication of " + publisher.id() + " is held without its lock";
        held = true;
    }

    /** Takes the publisher's lock, which most callers hold. */
    public @Nullable Lease lease() {
        synchronized (publisher) {
            return lease;
        }
    }

    /** Whether it is from before a restart, with heartbeats that have not returned. */
    public boolean isAwaited() {
        Lease granted = lease();
        return granted != null && granted.isAwaited() && publishedAt == MirroredPublication.BEFORE_ALL;
    }

    /** Ends the present lease. Takes the publisher's lock, which the caller holds. */
    public void leaseWith(@Nullable Lease granted) {
        synchronized (publisher) {
            Lease before = lease;
            if (before != null) {
                before.end();
            }
            lease = granted;
            if (granted != null) {
                granted.follow(registered()[0].shown());
            }
        }
    }
}
