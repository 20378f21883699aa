package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * The instances that one publisher has published of one service. The lock of the service protects the change of the
 * instances, which are read without a lock. The lock of the publisher protects the lease.
 */
final class Publication {

    private final Publisher publisher;
    /** Written with the lock of the service held, see {@link #replace}. */
    private volatile RegisteredInstance[] hosted;

    @GuardedBy("publisher")
    private @Nullable Lease lease;

    Publication(Publisher publisher, RegisteredInstance[] hosted) {
        this.publisher = publisher;
        this.hosted = hosted;
    }

    Publisher publisher() {
        return publisher;
    }

    RegisteredInstance[] hosted() {
        return hosted;
    }

    /** @param service the service of this publication, whose lock the caller holds */
    void replace(ServiceEntry service, RegisteredInstance[] now) {
        assert Thread.holdsLock(service) : "instances of " + service.key() + " are replaced without its lock";
        hosted = now;
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
                granted.follow(hosted[0].shown());
            }
        }
    }
}
