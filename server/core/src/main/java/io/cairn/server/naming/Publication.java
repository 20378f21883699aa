package io.cairn.server.naming;

import org.jspecify.annotations.Nullable;

/** What one publisher says about one service; its instances are replaced under the lock of the service. */
final class Publication {

    private final Publisher publisher;
    private volatile RegisteredInstance[] hosted;
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

    void replace(RegisteredInstance[] now) {
        hosted = now;
    }

    @Nullable
    Lease lease() {
        return lease;
    }

    /** Replaces the lease; to be called with the publisher's lock held. */
    void leaseWith(@Nullable Lease granted) {
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
