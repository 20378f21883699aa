package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The instances that one publisher has published of one service. The lock of the service protects the change of the
 * instances, which are read without a lock. The lock of the publisher protects the lease.
 *
 * <p>A publication of another node stays encoded until a consumer reads the service. It is replaced by another object when its owner
 * publishes again.
 */
final class Publication {

    private static final RegisteredInstance[] NONE = {};

    private final Publisher publisher;
    private final @Nullable MirroredPublication source;
    /** Null while they are encoded. Written with the lock of the service held, see {@link #replace}. */
    private volatile RegisteredInstance @Nullable [] hosted;
    /** Written with the locks of the publisher and of the service held. */
    private volatile long publishedAt;
    /** Written with the lock of the service held. */
    private volatile boolean owned;
    /** Written with the lock of the publisher held. */
    private volatile boolean held;
    /** Used with the lock of the service held. */
    private boolean listed;

    @GuardedBy("publisher")
    private @Nullable Lease lease;

    /** A publication of this node. */
    Publication(Publisher publisher) {
        this.publisher = publisher;
        this.source = null;
        this.hosted = NONE;
        this.owned = publisher.kind() != Publisher.Kind.RECOVERED;
    }

    /**
     * A publication of another node.
     *
     * @param held whether it has no owner any more
     */
    Publication(Publisher publisher, MirroredPublication source, boolean held) {
        this.publisher = publisher;
        this.source = source;
        this.publishedAt = source.publishedAt();
        this.held = held;
        this.owned = !held && source.publisher().kind() != Publisher.Kind.RECOVERED;
    }

    Publisher publisher() {
        return publisher;
    }

    /** As another node has sent it; null for one of this node. */
    @Nullable
    MirroredPublication source() {
        return source;
    }

    RegisteredInstance[] hosted() {
        RegisteredInstance[] known = hosted;
        if (known == null) {
            throw new IllegalStateException(
                    "The instances that " + publisher.id() + " has published are still encoded");
        }
        return known;
    }

    boolean isEncoded() {
        return hosted == null;
    }

    /** How many instances there are; known also while they are encoded. */
    int size() {
        RegisteredInstance[] known = hosted;
        return known != null
                ? known.length
                : source == null ? 0 : source.instances().size();
    }

    /** As they were encoded. */
    List<Instance> decode() {
        return source == null ? List.of() : source.instances().decode();
    }

    /** Whether the instance is one of these; they must be decoded. */
    boolean names(InstanceKey instance) {
        for (RegisteredInstance each : hosted()) {
            if (each.published().key().equals(instance)) {
                return true;
            }
        }
        return false;
    }

    /** Whether these are the instances, as they are published. */
    boolean says(List<Instance> published) {
        RegisteredInstance[] known = hosted();
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

    /** Whether another node has sent this publication with an owner, and the other one with the same instances. */
    boolean wasSentAs(Publication other) {
        return owned
                && source != null
                && other.source != null
                && source.instances().equals(other.source.instances());
    }

    /**
     * Changes the health of the instances; returns whether one had the other one.
     *
     * @param service as for {@link #replace}
     * @param instance null for all of them
     * @param cause why it is not healthy; null when it is
     */
    boolean setHealthy(
            ServiceEntry service,
            @Nullable InstanceKey instance,
            boolean healthy,
            long nowMillis,
            @Nullable UnhealthyCause cause) {
        RegisteredInstance[] now = hosted().clone();
        boolean differs = false;
        for (int i = 0; i < now.length; i++) {
            Instance published = now[i].published();
            if ((instance == null || published.key().equals(instance)) && published.healthy() != healthy) {
                now[i] = now[i].withHealthy(healthy, nowMillis, cause);
                differs = true;
            }
        }
        if (differs) {
            replace(service, now);
        }
        return differs;
    }

    /** @param service the service of this publication, whose lock the caller holds */
    void replace(ServiceEntry service, RegisteredInstance[] now) {
        assert Thread.holdsLock(service) : "instances of " + service.key() + " are replaced without its lock";
        hosted = now;
    }

    /** The time of the registration; the later of two publications of one instance has the higher one. */
    long publishedAt() {
        return publishedAt;
    }

    /** @param service as for {@link #replace} */
    void publishedAt(ServiceEntry service, long now) {
        assert Thread.holdsLock(service) : "a publication of " + service.key() + " is changed without its lock";
        publishedAt = now;
    }

    /**
     * Whether its client stands behind it. Otherwise it is shown until another publication names the same instances, or until the
     * window ends.
     */
    boolean isOwned() {
        return owned;
    }

    /** @param service as for {@link #replace} */
    void disown(ServiceEntry service) {
        assert Thread.holdsLock(service) : "a publication of " + service.key() + " is changed without its lock";
        owned = false;
    }

    /** Whether it is among the mirrored ones of the service, whose lock the caller holds. */
    boolean isListed() {
        return listed;
    }

    /** @param service as for {@link #replace} */
    void listed(ServiceEntry service, boolean now) {
        assert Thread.holdsLock(service) : "a publication of " + service.key() + " is changed without its lock";
        listed = now;
    }

    /** Whether its node has left the group, or has handed its client over. */
    boolean isHeld() {
        return held;
    }

    void hold() {
        assert Thread.holdsLock(publisher) : "a publication of " + publisher.id() + " is held without its lock";
        held = true;
    }

    /** The lease of the instance. Takes the lock of the publisher, which most callers hold already. */
    @Nullable
    Lease lease() {
        synchronized (publisher) {
            return lease;
        }
    }

    /** Ends the present lease and sets the new one. Takes the lock of the publisher, which the caller holds already. */
    void leaseWith(@Nullable Lease granted) {
        synchronized (publisher) {
            Lease before = lease;
            if (before != null) {
                before.end();
            }
            lease = granted;
            if (granted != null) {
                granted.follow(hosted()[0].shown());
            }
        }
    }
}
